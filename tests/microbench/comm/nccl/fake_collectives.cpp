#include "tests/microbench/comm/nccl/fake_collectives.h"

#include <algorithm>
#include <stdexcept>

namespace oracle::fakes {
namespace {

void run(const std::vector<Board::Part>& parts) {
  const auto n = static_cast<std::int64_t>(parts.size());
  const std::int64_t count = parts.front().count;
  const std::string& kind = parts.front().kind;
  const auto sum = [&](std::int64_t i) {
    float total = 0;
    for (const Board::Part& part : parts) total += part.from[i];
    return total;
  };
  std::vector<std::vector<float>> results(parts.size());
  for (const Board::Part& part : parts) {
    std::vector<float>& result = results[static_cast<std::size_t>(part.place)];
    if (kind == "all_reduce") {
      for (std::int64_t i = 0; i < count; ++i) result.push_back(sum(i));
    } else if (kind == "reduce_scatter") {
      for (std::int64_t i = 0; i < count; ++i) result.push_back(sum(part.place * count + i));
    } else {
      for (std::int64_t p = 0; p < n; ++p) {
        const auto of = std::find_if(parts.begin(), parts.end(),
                                     [&](const Board::Part& other) { return other.place == p; });
        result.insert(result.end(), of->from, of->from + count);
      }
    }
  }
  for (const Board::Part& part : parts) {
    const std::vector<float>& result = results[static_cast<std::size_t>(part.place)];
    std::copy(result.begin(), result.end(), part.to);
    *part.done = true;
  }
}

class FakeMark final : public DeviceCollectives::Mark {
 public:
  FakeMark(Board& board, std::vector<Done> parts) : board_(board), parts_(std::move(parts)) {}
  bool reached() const override {
    const std::lock_guard lock(board_.mutex());
    return std::all_of(parts_.begin(), parts_.end(), [](const Done& done) { return *done; });
  }

 private:
  Board& board_;
  std::vector<Done> parts_;
};

class FakeCollectives final : public DeviceCollectives {
 public:
  FakeCollectives(Board& board, int rank) : board_(board), rank_(rank) {}

  std::string library() const override { return "fake"; }
  std::string new_id() override { return "the id"; }
  Channel join(const std::string& id, int rank, int size) override {
    if (id != "the id" || rank != rank_ || size != board_.ranks()) {
      throw std::runtime_error("a rank joins with what it was not given");
    }
    return split(kNone, 0, rank);
  }
  Channel split(Channel, int color, int key) override {
    const auto [name, members] = board_.split(splits_++, rank_, color, key);
    if (members.empty()) return kNone;
    const auto place = std::find(members.begin(), members.end(), rank_) - members.begin();
    lanes_.push_back({name, static_cast<int>(place), static_cast<int>(members.size()), 0, {}});
    return static_cast<Channel>(lanes_.size()) - 1;
  }

  void all_reduce(Channel channel, void* data, std::int64_t count, Element) override {
    post(channel, "all_reduce", data, data, count);
  }
  void reduce_scatter(Channel channel, const void* from, void* to, std::int64_t part,
                      Element) override {
    post(channel, "reduce_scatter", from, to, part);
  }
  void all_gather(Channel channel, const void* from, void* to, std::int64_t part,
                  Element) override {
    post(channel, "all_gather", from, to, part);
  }
  void messages(Channel channel, std::span<const Peer> sends, std::span<const Peer> receives,
                Element) override {
    Lane& lane = at(channel);
    for (const Peer& peer : sends) {
      board_.send(lane.name, lane.place, peer.rank, static_cast<float*>(peer.data), peer.count,
                  flag(lane));
    }
    for (const Peer& peer : receives) {
      board_.receive(lane.name, peer.rank, lane.place, static_cast<float*>(peer.data), peer.count,
                     flag(lane));
    }
  }
  std::unique_ptr<Mark> mark(Channel channel) override {
    return std::make_unique<FakeMark>(board_, at(channel).started);
  }

  std::string trouble() override {
    const std::lock_guard lock(board_.mutex());
    return board_.trouble;
  }
  void abort() override {}
  void close() override {}

 private:
  struct Lane {
    std::string name;
    int place = 0, members = 0, operations = 0;
    std::vector<Done> started;
  };

  Lane& at(Channel channel) { return lanes_.at(static_cast<std::size_t>(channel)); }
  static Done flag(Lane& lane) {
    lane.started.push_back(std::make_shared<bool>(false));
    return lane.started.back();
  }
  void post(Channel channel, const char* kind, const void* from, void* to, std::int64_t count) {
    Lane& lane = at(channel);
    board_.collective(lane.name, lane.operations++, lane.members,
                      {kind, lane.place, static_cast<const float*>(from), static_cast<float*>(to),
                       count, flag(lane)});
  }

  Board& board_;
  int rank_;
  int splits_ = 0;
  std::vector<Lane> lanes_;
};

}  // namespace

std::pair<std::string, std::vector<int>> Board::split(int number, int rank, int color, int key) {
  std::unique_lock lock(mutex_);
  splits_[number][rank] = {color, key};
  changed_.notify_all();
  changed_.wait(lock, [&] { return static_cast<int>(splits_[number].size()) == ranks_; });
  std::vector<std::pair<int, int>> members;
  for (const auto& [other, choice] : splits_[number]) {
    if (choice.first == color && color >= 0) members.emplace_back(choice.second, other);
  }
  std::sort(members.begin(), members.end());
  std::vector<int> ranks;
  for (const auto& member : members) ranks.push_back(member.second);
  return {std::to_string(number) + ":" + std::to_string(color), ranks};
}

void Board::collective(const std::string& channel, int number, int members, Part part) {
  const std::lock_guard lock(mutex_);
  std::vector<Part>& parts = posted_[{channel, number}];
  parts.push_back(std::move(part));
  if (static_cast<int>(parts.size()) == members) run(parts);
}

void Board::send(const std::string& channel, int from, int to, const float* data,
                 std::int64_t count, Done done) {
  const std::lock_guard lock(mutex_);
  sent[channel].emplace_back(from, to);
  Waiting& waiting = messages_[{channel, {from, to}}];
  waiting.sends.emplace_back(std::vector<float>(data, data + count), std::move(done));
  match(waiting);
}

void Board::receive(const std::string& channel, int from, int to, float* data, std::int64_t count,
                    Done done) {
  const std::lock_guard lock(mutex_);
  Waiting& waiting = messages_[{channel, {from, to}}];
  waiting.receives.push_back({"receive", 0, nullptr, data, count, std::move(done)});
  match(waiting);
}

void Board::match(Waiting& waiting) {
  while (!waiting.sends.empty() && !waiting.receives.empty()) {
    const auto& [values, sent_flag] = waiting.sends.front();
    const Part& receive = waiting.receives.front();
    std::copy(values.begin(), values.end(), receive.to);
    *sent_flag = true;
    *receive.done = true;
    waiting.sends.pop_front();
    waiting.receives.pop_front();
  }
}

std::unique_ptr<DeviceCollectives> make_fake_collectives(Board& board, int rank) {
  return std::make_unique<FakeCollectives>(board, rank);
}

}  // namespace oracle::fakes
