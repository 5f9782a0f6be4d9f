#include "microbench/comm/blame.h"

#include <algorithm>

namespace oracle {
namespace {

constexpr std::size_t kMostNamed = 8;

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kMostNamed); ++i) {
    if (i > 0) text += "; ";
    text += parts[i];
  }
  if (parts.size() > kMostNamed) {
    text += "; and " + std::to_string(parts.size() - kMostNamed) + " more";
  }
  return text;
}

std::string ranks_text(const std::vector<int>& ranks) {
  std::string text = ranks.size() == 1 ? "rank" : "ranks";
  for (std::size_t i = 0; i < std::min(ranks.size(), kMostNamed); ++i) {
    text += " " + std::to_string(ranks[i]);
  }
  if (ranks.size() > kMostNamed) text += " ... (" + std::to_string(ranks.size()) + ")";
  return text;
}

template <typename Map, typename Key>
std::uint64_t count_in(const Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? 0 : found->second;
}

/// Has the rank started its part of the operation that `self` waits in?
bool has_come(int self, const Pending& operation, const Snapshot& theirs) {
  if (operation.sides.empty()) return count_in(theirs.started, operation.group) > operation.number;
  const std::pair key(operation.group, self);
  return std::all_of(operation.sides.begin(), operation.sides.end(), [&](const MessageSide& side) {
    return side.peer != theirs.rank ||
           count_in(side.out ? theirs.received : theirs.sent, key) > side.number;
  });
}

std::string what_it_does(const Snapshot& snapshot) {
  if (!snapshot.pending.empty()) return "it waits in " + snapshot.pending.front();
  if (!snapshot.last.empty()) return "it computes; its last operation was " + snapshot.last;
  return "it has started no operation";
}

std::vector<std::string> lost(const std::map<int, Answer>& answers, Answer::State state,
                              const char* text, const std::vector<RankPlace>& places) {
  std::vector<std::string> found;
  for (const auto& [rank, answer] : answers) {
    if (answer.state == state) found.push_back(name_of(rank, places) + text);
  }
  return found;
}

}  // namespace

std::set<int> partners(const Pending& operation) {
  std::set<int> ranks(operation.members.begin(), operation.members.end());
  for (const MessageSide& side : operation.sides) ranks.insert(side.peer);
  return ranks;
}

std::string name_of(int rank, const std::vector<RankPlace>& places) {
  std::string text = "rank " + std::to_string(rank);
  if (rank >= 0 && static_cast<std::size_t>(rank) < places.size()) {
    const RankPlace& place = places[static_cast<std::size_t>(rank)];
    text += " (" + place.host + ", pid " + std::to_string(place.pid) + ")";
  }
  return text;
}

std::string operation_text(const Pending& operation) {
  const std::set<int> ranks = partners(operation);
  if (ranks.empty()) return operation.text;
  const char* between = operation.sides.empty() ? " over " : " with ";
  // Members in the group's order, as their places are counted in it.
  return operation.text + between +
         ranks_text(operation.sides.empty() ? operation.members
                                            : std::vector<int>(ranks.begin(), ranks.end()));
}

std::string who_is_gone(const std::map<int, Answer>& answers,
                        const std::vector<RankPlace>& places) {
  return joined(lost(answers, Answer::State::gone, " is gone: its process ended", places));
}

std::string why_it_hangs(int self, const Pending& operation, const std::map<int, Answer>& answers,
                         const std::vector<RankPlace>& places) {
  std::vector<std::string> found =
      lost(answers, Answer::State::gone, " is gone: its process ended", places);
  const std::vector<std::string> silent =
      lost(answers, Answer::State::silent,
           " does not answer: it is stopped, or its host cannot be reached", places);
  found.insert(found.end(), silent.begin(), silent.end());
  for (const int rank : partners(operation)) {
    const auto answer = answers.find(rank);
    if (answer == answers.end() || answer->second.state != Answer::State::answered) continue;
    if (has_come(self, operation, answer->second.snapshot)) continue;
    found.push_back(name_of(rank, places) +
                    " has not come: " + what_it_does(answer->second.snapshot));
  }
  if (!found.empty()) return joined(found);
  if (answers.empty()) return "the other ranks are not known yet";
  return "all its ranks have come, but the data did not arrive: look at the network between them";
}

bool all_started(const Pending& operation, const std::map<int, Answer>& answers) {
  return std::all_of(operation.members.begin(), operation.members.end(), [&](int member) {
    const auto answer = answers.find(member);
    if (answer == answers.end() || answer->second.state == Answer::State::gone) return true;
    return answer->second.state == Answer::State::answered &&
           count_in(answer->second.snapshot.started, operation.group) > operation.number;
  });
}

std::string who_differs(int self, const Pending& operation, const std::map<int, Answer>& answers,
                        const std::vector<RankPlace>& places) {
  if (!operation.sides.empty()) return {};
  const std::pair key(operation.group, operation.number);
  std::map<std::string, std::vector<int>> by_text;
  by_text[operation.text].push_back(self);
  for (const int rank : operation.members) {
    const auto answer = answers.find(rank);
    if (rank == self || answer == answers.end()) continue;
    const auto call = answer->second.snapshot.recent.find(key);
    if (call != answer->second.snapshot.recent.end()) by_text[call->second].push_back(rank);
  }
  if (by_text.size() < 2) return {};
  const auto most = std::max_element(
      by_text.begin(), by_text.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  const bool tie = std::count_if(by_text.begin(), by_text.end(), [&](const auto& entry) {
                     return entry.second.size() == most->second.size();
                   }) > 1;
  std::vector<std::string> found;
  for (const auto& [text, ranks] : by_text) {
    if (!tie && text == most->first) continue;
    for (const int rank : ranks) found.push_back(name_of(rank, places) + " has " + text);
  }
  return joined(found) + (tie ? "" : ", the others " + most->first);
}

}  // namespace oracle
