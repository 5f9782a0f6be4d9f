#include "tests/validate/in_process.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <tuple>

namespace oracle {
namespace {

using Values = std::vector<std::byte>;

/// A machine with much else to do takes its time; the test's own limit is beyond.
constexpr std::chrono::seconds kPatience{100};

/// What the ranks share: contributions to collectives, messages, texts.
struct World {
  explicit World(int n) : size(n) {}

  template <typename Ready>
  void wait(std::unique_lock<std::mutex>& lock, const std::string& label, Ready ready) {
    const bool came = changed.wait_for(lock, kPatience, [&] { return failed || ready(); });
    if (failed) throw std::runtime_error("another rank failed");
    if (!came) throw std::runtime_error("nobody came for " + label);
  }

  const int size;
  std::mutex mutex;
  std::condition_variable changed;
  bool failed = false;
  /// By group, number of the operation in it, and member.
  std::map<std::tuple<GroupId, std::int64_t, int>, Values> given;
  /// By group (none: of the world), sender and receiver.
  std::map<std::tuple<std::optional<GroupId>, int, int>, std::map<std::int64_t, Values>> messages;
  std::map<std::pair<std::int64_t, int>, std::string> texts;
};

struct Waiting {
  std::string label;
  std::function<bool()> ready;
  std::function<void()> take;
};

class InProcess : public Communicator {
 public:
  InProcess(World& world, int rank) : world_(world), rank_(rank) {}

  std::string library() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return world_.size; }

  GroupId make_group(std::span<const int> ranks) override {
    groups_.emplace_back(ranks.begin(), ranks.end());
    return static_cast<GroupId>(groups_.size() - 1);
  }

  Ticket start_all_reduce(GroupId group, void* data, std::int64_t count, Element type,
                          std::string label) override {
    const std::int64_t bytes = bytes_of(count, type);
    bytes_ += 2.0 * static_cast<double>(bytes) * others(group);
    return start(group, data, bytes, std::move(label), [=](const std::vector<const Values*>& all) {
      put_sum(all, 0, data, count, type);
    });
  }

  Ticket start_reduce_scatter(GroupId group, const void* from, void* to, std::int64_t part,
                              Element type, std::string label) override {
    const std::int64_t bytes = bytes_of(part, type), n = size_of(group), own = index_in(group);
    bytes_ += static_cast<double>(n * bytes) * others(group);
    return start(
        group, from, n * bytes, std::move(label),
        [=](const std::vector<const Values*>& all) { put_sum(all, own * bytes, to, part, type); });
  }

  Ticket start_all_gather(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const std::int64_t bytes = bytes_of(part, type);
    bytes_ += static_cast<double>(size_of(group) * bytes) * others(group);
    return start(group, from, bytes, std::move(label), [=](const std::vector<const Values*>& all) {
      auto* next = static_cast<std::byte*>(to);
      for (const Values* values : all) next = std::copy(values->begin(), values->end(), next);
    });
  }

  Ticket start_all_to_all(GroupId group, const void* from, void* to, std::int64_t part,
                          Element type, std::string label) override {
    const std::int64_t bytes = bytes_of(part, type), n = size_of(group), own = index_in(group);
    bytes_ += static_cast<double>(n * bytes) * others(group);
    return start(group, from, n * bytes, std::move(label),
                 [=](const std::vector<const Values*>& all) {
                   auto* next = static_cast<std::byte*>(to);
                   for (const Values* values : all) {
                     next = std::copy_n(values->begin() + own * bytes, bytes, next);
                   }
                 });
  }

  Ticket start_messages(std::span<const Peer> sends, std::span<const Peer> receives, Element type,
                        std::string label) override {
    return messages({}, {sends.begin(), sends.end()}, {receives.begin(), receives.end()}, type,
                    std::move(label));
  }

  Ticket start_group_messages(GroupId group, std::span<const Peer> sends,
                              std::span<const Peer> receives, Element type,
                              std::string label) override {
    const auto of_world = [&](std::span<const Peer> places) {
      std::vector<Peer> peers(places.begin(), places.end());
      for (Peer& peer : peers) peer.rank = groups_[group][static_cast<std::size_t>(peer.rank)];
      return peers;
    };
    return messages(group, of_world(sends), of_world(receives), type, std::move(label));
  }

  Ticket messages(std::optional<GroupId> group, const std::vector<Peer>& sends,
                  const std::vector<Peer>& receives, Element type, std::string label) {
    const std::lock_guard lock(world_.mutex);
    for (const Peer& send : sends) {
      const auto* data = static_cast<const std::byte*>(send.data);
      const std::int64_t bytes = bytes_of(send.count, type);
      world_.messages[{group, rank_, send.rank}][sent_[{group, send.rank}]++] =
          Values(data, data + bytes);
      bytes_ += static_cast<double>(bytes);
    }
    world_.changed.notify_all();
    std::vector<std::pair<Peer, std::int64_t>> expected;
    for (const Peer& receive : receives) {
      expected.emplace_back(receive, received_[{group, receive.rank}]++);
    }
    const auto ready = [this, group, expected] {
      for (const auto& [peer, number] : expected) {
        if (world_.messages[{group, peer.rank, rank_}].count(number) == 0) return false;
      }
      return true;
    };
    const auto take = [this, group, expected, type] {
      for (const auto& [peer, number] : expected) {
        const Values values = std::move(world_.messages[{group, peer.rank, rank_}][number]);
        if (static_cast<std::int64_t>(values.size()) != bytes_of(peer.count, type)) {
          throw std::runtime_error("a message has another length than expected");
        }
        std::copy(values.begin(), values.end(), static_cast<std::byte*>(peer.data));
      }
    };
    return push({std::move(label), ready, take});
  }

  void wait(Ticket ticket) override {
    std::unique_lock lock(world_.mutex);
    const Waiting waiting = std::move(waiting_.at(ticket));
    waiting_.erase(ticket);
    world_.wait(lock, waiting.label, waiting.ready);
    waiting.take();
  }

  bool done(Ticket ticket) override {
    const std::lock_guard lock(world_.mutex);
    return waiting_.at(ticket).ready();
  }

  void barrier(std::string label) override { gather("", std::move(label)); }

  std::vector<std::string> gather(std::string_view text, std::string label) override {
    const std::vector<std::string> all = share(text, label);
    return rank_ == 0 ? all : std::vector<std::string>();
  }

  bool any(bool mine, std::string label) override {
    const std::vector<std::string> all = share(mine ? "yes" : "no", label);
    return std::count(all.begin(), all.end(), "yes") > 0;
  }

  std::int64_t bytes_sent() const override { return static_cast<std::int64_t>(bytes_ + 0.5); }
  void reset_bytes() override { bytes_ = 0; }

 private:
  /// Every rank's text, on every rank.
  std::vector<std::string> share(std::string_view text, const std::string& label) {
    std::unique_lock lock(world_.mutex);
    const std::int64_t number = gathers_++;
    world_.texts[{number, rank_}] = text;
    world_.changed.notify_all();
    world_.wait(lock, label, [&] {
      return world_.texts.count({number, world_.size - 1}) > 0 && complete(number);
    });
    std::vector<std::string> all;
    for (int r = 0; r < world_.size; ++r) all.push_back(world_.texts[{number, r}]);
    return all;
  }

  static std::int64_t bytes_of(std::int64_t count, Element type) {
    return count * static_cast<std::int64_t>(element_bytes(type));
  }

  /// The sum of the members' values from byte `begin` on, in group order.
  static void put_sum(const std::vector<const Values*>& all, std::int64_t begin, void* to,
                      std::int64_t count, Element type) {
    std::copy_n(all.front()->begin() + begin, bytes_of(count, type), static_cast<std::byte*>(to));
    for (std::size_t i = 1; i < all.size(); ++i) {
      add_elements(type, to, all[i]->data() + begin, count);
    }
  }

  bool complete(std::int64_t number) const {
    for (int r = 0; r < world_.size; ++r) {
      if (world_.texts.count({number, r}) == 0) return false;
    }
    return true;
  }

  std::int64_t size_of(GroupId group) const {
    return static_cast<std::int64_t>(groups_[group].size());
  }
  std::int64_t index_in(GroupId group) const {
    const std::vector<int>& members = groups_[group];
    return std::find(members.begin(), members.end(), rank_) - members.begin();
  }
  double others(GroupId group) const {
    const auto n = static_cast<double>(size_of(group));
    return (n - 1) / n;
  }

  Ticket push(Waiting waiting) {
    waiting_.emplace(next_, std::move(waiting));
    return next_++;
  }

  template <typename Take>
  Ticket start(GroupId group, const void* from, std::int64_t bytes, std::string label, Take take) {
    const std::lock_guard lock(world_.mutex);
    const std::vector<int> members = groups_[group];
    const std::int64_t number = started_[group]++;
    const auto* data = static_cast<const std::byte*>(from);
    world_.given[{group, number, rank_}] = Values(data, data + bytes);
    world_.changed.notify_all();
    const auto ready = [this, members, group, number] {
      for (const int member : members) {
        if (world_.given.count({group, number, member}) == 0) return false;
      }
      return true;
    };
    const auto collect = [this, members, group, number, take] {
      std::vector<const Values*> all;
      for (const int member : members) all.push_back(&world_.given[{group, number, member}]);
      for (const Values* values : all) {
        if (values->size() == all.front()->size()) continue;
        throw std::runtime_error("members give buffers of different sizes");
      }
      take(all);
    };
    return push({std::move(label), ready, collect});
  }

  World& world_;
  int rank_;
  std::vector<std::vector<int>> groups_;
  std::map<GroupId, std::int64_t> started_;
  std::map<std::pair<std::optional<GroupId>, int>, std::int64_t> sent_, received_;
  std::map<Ticket, Waiting> waiting_;
  Ticket next_ = 1;
  std::int64_t gathers_ = 0;
  double bytes_ = 0;
};

}  // namespace

void run_ranks(int ranks, const std::function<void(Communicator&)>& body) {
  World world(ranks);
  std::vector<std::thread> threads;
  std::exception_ptr first;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        InProcess communicator(world, rank);
        body(communicator);
      } catch (...) {
        const std::lock_guard lock(world.mutex);
        if (!first) first = std::current_exception();
        world.failed = true;
        world.changed.notify_all();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (first) std::rethrow_exception(first);
}

}  // namespace oracle
