#include "microbench/comm/journal.h"

#include <algorithm>
#include <sstream>

namespace oracle {
namespace {

constexpr std::size_t kRemembered = 64;

/// Labels are the caller's; a line break in one must not begin a line of a snapshot.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

std::string rest_of(std::istringstream& line) {
  std::string text;
  std::getline(line >> std::ws, text);
  return text;
}

/// One line of a snapshot; false where it is none.
bool read_line(const std::string& text, Snapshot& snapshot) {
  std::istringstream line(text);
  std::string word;
  line >> word;
  GroupId group = 0;
  int peer = 0;
  std::uint64_t number = 0;
  if (word == "self") {
    line >> snapshot.rank >> snapshot.pid;
    if (!line) return false;
    snapshot.host = rest_of(line);
  } else if (word == "started") {
    line >> group >> number;
    snapshot.started[group] = number;
  } else if (word == "sent" || word == "received") {
    line >> group >> peer >> number;
    (word == "sent" ? snapshot.sent : snapshot.received)[{group, peer}] = number;
  } else if (word == "recent") {
    line >> group >> number;
    if (!line) return false;
    snapshot.recent[{group, number}] = rest_of(line);
    return true;
  } else if (word == "pending") {
    snapshot.pending.push_back(rest_of(line));
    return true;
  } else if (word == "last") {
    snapshot.last = rest_of(line);
    return true;
  } else {
    return false;
  }
  return word == "self" || !line.fail();
}

}  // namespace

std::string to_text(const Snapshot& snapshot) {
  std::ostringstream text;
  text << "self " << snapshot.rank << " " << snapshot.pid << " " << one_line(snapshot.host) << "\n";
  for (const auto& [group, count] : snapshot.started) {
    text << "started " << group << " " << count << "\n";
  }
  for (const auto& [key, count] : snapshot.sent) {
    text << "sent " << key.first << " " << key.second << " " << count << "\n";
  }
  for (const auto& [key, count] : snapshot.received) {
    text << "received " << key.first << " " << key.second << " " << count << "\n";
  }
  for (const auto& [key, call] : snapshot.recent) {
    text << "recent " << key.first << " " << key.second << " " << one_line(call) << "\n";
  }
  for (const std::string& pending : snapshot.pending)
    text << "pending " << one_line(pending) << "\n";
  if (!snapshot.last.empty()) text << "last " << one_line(snapshot.last) << "\n";
  text << "end\n";
  return text.str();
}

std::optional<Snapshot> read_snapshot(std::string_view text) {
  std::istringstream lines{std::string(text)};
  Snapshot snapshot;
  for (std::string line; std::getline(lines, line);) {
    if (line == "end") return snapshot.rank < 0 ? std::nullopt : std::optional(snapshot);
    if (!read_line(line, snapshot)) return std::nullopt;
  }
  return std::nullopt;
}

void Journal::set_self(int rank, std::string host, int pid) {
  const std::lock_guard lock(mutex_);
  self_.rank = rank;
  self_.host = std::move(host);
  self_.pid = pid;
}

void Journal::begin(Pending& operation) {
  const std::lock_guard lock(mutex_);
  operation.since = std::chrono::steady_clock::now();
  if (operation.sides.empty()) {
    operation.number = self_.started[operation.group]++;
    order_.emplace_back(operation.group, operation.number);
    self_.recent[order_.back()] = operation.text;
    if (order_.size() > kRemembered) {
      self_.recent.erase(order_.front());
      order_.pop_front();
    }
  }
  for (MessageSide& side : operation.sides) {
    auto& counts = side.out ? self_.sent : self_.received;
    side.number = counts[{operation.group, side.peer}]++;
  }
  pending_[operation.ticket] = operation;
}

void Journal::end(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(ticket);
  if (found == pending_.end()) return;
  self_.last = std::move(found->second.text);
  pending_.erase(found);
}

Snapshot Journal::snapshot() const {
  const std::lock_guard lock(mutex_);
  Snapshot snapshot = self_;
  for (const auto& [ticket, operation] : pending_) snapshot.pending.push_back(operation.text);
  return snapshot;
}

std::optional<Pending> Journal::oldest() const {
  const std::lock_guard lock(mutex_);
  const auto found = std::min_element(
      pending_.begin(), pending_.end(),
      [](const auto& a, const auto& b) { return a.second.since < b.second.since; });
  return found == pending_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Pending> Journal::pending(Ticket ticket) const {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(ticket);
  return found == pending_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace oracle
