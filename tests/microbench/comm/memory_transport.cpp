#include "tests/microbench/comm/memory_transport.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>
#include <span>
#include <thread>

#include "microbench/comm/engine.h"
#include "oracle/base/error.h"

namespace oracle::fakes {
namespace {

class MemoryTransport final : public Transport {
 public:
  MemoryTransport(Hub& hub, int rank) : hub_(hub), rank_(rank) {}

  int rank_before_open() const override { return rank_; }
  std::string missing_before_open() const override { return {}; }
  void open() override {}
  std::string library() const override { return "memory"; }
  int rank() const override { return rank_; }
  int size() const override { return hub_.ranks(); }

  std::vector<std::string> share(std::string_view text) override { return hub_.share(rank_, text); }

  Group make_group(std::span<const int> ranks, int number) override {
    groups_.push_back({number, {ranks.begin(), ranks.end()}});
    return static_cast<Group>(groups_.size()) - 1;
  }

  Request send(Group group, int to, const void* data, std::int64_t bytes, int tag) override {
    const auto* begin = static_cast<const std::byte*>(data);
    hub_.put({at(group).number, rank_, at(group).ranks[index(to)], tag}, {begin, begin + bytes});
    requests_.emplace_back();
    return static_cast<Request>(requests_.size()) - 1;
  }

  Request receive(Group group, int from, void* data, std::int64_t bytes, int tag) override {
    requests_.push_back(
        Receive{{at(group).number, at(group).ranks[index(from)], rank_, tag}, data, bytes});
    return static_cast<Request>(requests_.size()) - 1;
  }

  Arrival test(Request request) override {
    const std::optional<Receive>& receive = requests_[index(request)];
    if (!receive) return {true, false, 0};
    // Receives of one channel are given messages in the order they were posted.
    for (std::size_t i = 0; i < index(request); ++i) {
      if (requests_[i] && requests_[i]->channel == receive->channel) return {};
    }
    const auto message = hub_.take(receive->channel);
    if (!message) return {};
    const auto bytes = static_cast<std::int64_t>(message->size());
    const Arrival arrival{true, bytes > receive->bytes, std::min(bytes, receive->bytes)};
    if (arrival.bytes > 0) {
      std::memcpy(receive->data, message->data(), static_cast<std::size_t>(arrival.bytes));
    }
    requests_[index(request)].reset();
    return arrival;
  }

  void close() override {}
  void abort(int) override {}

 private:
  struct Receive {
    Hub::Channel channel;
    void* data = nullptr;
    std::int64_t bytes = 0;
  };
  struct Members {
    int number = 0;
    std::vector<int> ranks;
  };

  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  const Members& at(Group group) const { return groups_[index(group)]; }

  Hub& hub_;
  int rank_;
  std::vector<Members> groups_;
  std::vector<std::optional<Receive>> requests_;
};

}  // namespace

void Hub::put(const Channel& channel, std::vector<std::byte> message) {
  const std::lock_guard lock(mutex_);
  messages_[channel].push_back(std::move(message));
}

std::unique_ptr<std::vector<std::byte>> Hub::take(const Channel& channel) {
  const std::lock_guard lock(mutex_);
  auto& waiting = messages_[channel];
  if (waiting.empty()) return nullptr;
  auto first = std::make_unique<std::vector<std::byte>>(std::move(waiting.front()));
  waiting.pop_front();
  return first;
}

std::vector<std::string> Hub::share(int rank, std::string_view text) {
  std::unique_lock lock(mutex_);
  texts_[static_cast<std::size_t>(rank)] = text;
  ++arrived_;
  shared_.notify_all();
  shared_.wait(lock, [&] { return arrived_ == ranks_; });
  return texts_;
}

std::unique_ptr<Transport> make_memory_transport(Hub& hub, int rank) {
  return std::make_unique<MemoryTransport>(hub, rank);
}

Said run_ranks(int ranks, const WatchdogOptions& options,
               const std::function<void(Communicator&)>& program) {
  Hub hub(ranks);
  Said said(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      std::string& own = said[static_cast<std::size_t>(rank)];
      try {
        const auto communicator =
            make_communicator(make_memory_transport(hub, rank), options,
                              [&own](const std::string& line) { own = line; });
        program(*communicator);
      } catch (const EnvironmentError&) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

}  // namespace oracle::fakes
