#include "microbench/comm/nccl/device_communicator.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>

#include "oracle/base/error.h"
#include "tests/microbench/comm/memory_transport.h"
#include "tests/microbench/comm/nccl/fake_collectives.h"

namespace oracle::fakes {
namespace device_communicator_test {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Ranks meet over a hub, which meets once for all: texts by the round of sharing.
class ThreadMeeting final : public Meeting {
 public:
  struct Rounds {
    explicit Rounds(int ranks) : size(ranks) {}
    const int size;
    std::mutex mutex;
    std::condition_variable came;
    std::map<int, std::map<int, std::string>> texts;
  };

  ThreadMeeting(Rounds& rounds, int rank) : rounds_(rounds), rank_(rank) {}
  int rank_before_open() const override { return rank_; }
  std::string missing_before_open() const override { return {}; }
  void open() override {}
  std::string library() const override { return "threads"; }
  int rank() const override { return rank_; }
  int size() const override { return rounds_.size; }
  std::vector<std::string> share(std::string_view text) override {
    std::unique_lock lock(rounds_.mutex);
    auto& texts = rounds_.texts[round_++];
    texts[rank_] = text;
    rounds_.came.notify_all();
    rounds_.came.wait(lock, [&] { return static_cast<int>(texts.size()) == rounds_.size; });
    std::vector<std::string> all;
    for (const auto& [rank, one] : texts) all.push_back(one);
    return all;
  }
  void close() override {}

 private:
  Rounds& rounds_;
  int rank_;
  int round_ = 0;
};

Said run_on_device(Board& board, const WatchdogOptions& options,
                   const std::function<void(Communicator&)>& program) {
  ThreadMeeting::Rounds rounds(board.ranks());
  Said said(static_cast<std::size_t>(board.ranks()));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < board.ranks(); ++rank) {
    threads.emplace_back([&, rank] {
      std::string& own = said[static_cast<std::size_t>(rank)];
      try {
        const auto communicator = make_device_communicator(
            std::make_unique<ThreadMeeting>(rounds, rank),
            [&] { return make_fake_collectives(board, rank); }, options,
            [&own](const std::string& line) { own = line; });
        program(*communicator);
      } catch (const EnvironmentError&) {
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

GroupId all_ranks(Communicator& comm) {
  std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return comm.make_group(ranks);
}

TEST(DeviceCommunicator, SumsOverGroupsThatAreMadeSideBySide) {
  Board board(4);
  std::atomic<int> wrong = 0;
  const Said said = run_on_device(board, {}, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    const GroupId pair = comm.make_group(std::vector<int>{comm.rank() % 2 + 2, comm.rank() % 2});
    std::vector<float> first(10, static_cast<float>(comm.rank() + 1));
    std::vector<float> second(7, static_cast<float>(comm.rank() + 1));
    const Ticket a = comm.start_all_reduce(all, first.data(), 10, Element::fp32, "first");
    const Ticket b = comm.start_all_reduce(pair, second.data(), 7, Element::fp32, "second");
    comm.wait(b);
    comm.wait(a);
    wrong += comm.done(a) ? 0 : 1;
    for (const float sum : first) wrong += sum == 10 ? 0 : 1;
    for (const float sum : second) wrong += sum == (comm.rank() % 2 == 0 ? 4.0F : 6.0F) ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(said, Each(IsEmpty()));
}

/// Places are the group's, not the ranks': parts come in the order of the members.
TEST(DeviceCommunicator, MovesPartsInTheOrderOfTheGroup) {
  Board board(3);
  std::vector<std::vector<float>> gathered(3), scattered(3), turned(3);
  run_on_device(board, {}, [&](Communicator& comm) {
    const auto own = static_cast<std::size_t>(comm.rank());
    const GroupId group = comm.make_group(std::vector<int>{2, 0, 1});
    const auto number = static_cast<float>(comm.rank());
    const std::vector<float> one = {number};
    const std::vector<float> three = {number, number + 10, number + 20};
    gathered[own].resize(3);
    scattered[own].resize(1);
    turned[own].resize(3);
    comm.wait(
        comm.start_all_gather(group, one.data(), gathered[own].data(), 1, Element::fp32, "g"));
    comm.wait(comm.start_reduce_scatter(group, three.data(), scattered[own].data(), 1,
                                        Element::fp32, "s"));
    comm.wait(
        comm.start_all_to_all(group, three.data(), turned[own].data(), 1, Element::fp32, "t"));
  });
  EXPECT_THAT(gathered, Each(ElementsAre(2, 0, 1)));
  EXPECT_THAT(scattered, ElementsAre(ElementsAre(33), ElementsAre(63), ElementsAre(3)));
  // Rank 2 is first: it gets everybody's first part.
  EXPECT_THAT(turned[2], ElementsAre(2, 0, 1));
  EXPECT_THAT(turned[0], ElementsAre(12, 10, 11));
  EXPECT_THAT(turned[1], ElementsAre(22, 20, 21));
}

TEST(DeviceCommunicator, CountsBytesAsPlansDo) {
  Board board(3);
  std::vector<std::int64_t> bytes(3);
  std::atomic<std::int64_t> uneven = 0;
  run_on_device(board, {}, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    std::vector<float> buffer(300);
    std::vector<float> other(300);
    comm.wait(comm.start_all_reduce(all, buffer.data(), 300, Element::fp32, "a"));
    comm.barrier("not counted");
    comm.gather("nor this", "text");
    EXPECT_TRUE(comm.any(comm.rank() == 1, "nor this"));
    EXPECT_FALSE(comm.any(false, "nor this"));
    bytes[static_cast<std::size_t>(comm.rank())] = comm.bytes_sent();
    comm.reset_bytes();
    comm.wait(comm.start_all_gather(all, buffer.data(), other.data(), 100, Element::fp32, "b"));
    bytes[static_cast<std::size_t>(comm.rank())] += 10000 * comm.bytes_sent();
    comm.reset_bytes();
    comm.wait(comm.start_all_reduce(all, buffer.data(), 100, Element::fp32, "c"));
    uneven += comm.bytes_sent();
  });
  // 2 · 2/3 · 1200 = 1600 and 2/3 · 1200 = 800
  EXPECT_THAT(bytes, Each(1600 + 10000 * 800));
  EXPECT_EQ(uneven, 2 * 2 * 100 * 4);
}

/// What goes up and what goes down have channels of their own, whoever starts first.
TEST(DeviceCommunicator, MessagesOfBothDirectionsDoNotMeet) {
  Board board(2);
  std::vector<float> up(2), down(1);
  run_on_device(board, {}, [&](Communicator& comm) {
    float values[3] = {1, 2, 3};
    const int other = 1 - comm.rank();
    const auto send = [&](float& value) {
      return comm.start_messages(std::vector<Peer>{{other, &value, 1}}, {}, Element::fp32, "send");
    };
    const auto receive = [&](float& value) {
      comm.wait(
          comm.start_messages({}, std::vector<Peer>{{other, &value, 1}}, Element::fp32, "receive"));
    };
    if (comm.rank() == 0) {
      const Ticket first = send(values[0]);
      const Ticket second = send(values[1]);
      receive(down[0]);
      comm.wait(first);
      comm.wait(second);
      EXPECT_EQ(comm.bytes_sent(), 8);
    } else {
      receive(up[0]);
      const Ticket third = send(values[2]);
      receive(up[1]);
      comm.wait(third);
    }
  });
  EXPECT_THAT(up, ElementsAre(1, 2));
  EXPECT_THAT(down, ElementsAre(3));
  ASSERT_EQ(board.sent.size(), 2U);
  for (const auto& [channel, pairs] : board.sent) EXPECT_THAT(pairs, Each(pairs.front()));
}

TEST(DeviceCommunicator, GathersTextsInRankOrder) {
  Board board(3);
  std::vector<std::string> texts;
  run_on_device(board, {}, [&](Communicator& comm) {
    const auto found = comm.gather(std::string(static_cast<std::size_t>(comm.rank()), 'x'), "t");
    if (comm.rank() == 0) texts = found;
    EXPECT_EQ(found.size(), comm.rank() == 0 ? 3U : 0U);
  });
  EXPECT_THAT(texts, ElementsAre("", "x", "xx"));
}

TEST(DeviceCommunicator, NamesTheRankThatDoesNotCome) {
  Board board(2);
  WatchdogOptions options;
  options.seconds = 0.3;
  std::atomic<bool> spoken = false;
  const Said said = run_on_device(board, options, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    float value = 0;
    if (comm.rank() == 1) {
      while (!spoken) std::this_thread::yield();
      throw EnvironmentError("this rank leaves");
    }
    try {
      comm.wait(comm.start_all_reduce(all, &value, 1, Element::fp32, "conv1"));
    } catch (const EnvironmentError&) {
      spoken = true;
      throw;
    }
  });
  EXPECT_THAT(said[0],
              AllOf(HasSubstr("all_reduce \"conv1\" of 1 fp32 over ranks 0 1"),
                    HasSubstr("did not complete in 0.3 s: rank 1 ("), HasSubstr("has not come")));
}

TEST(DeviceCommunicator, TellsWhatTheLibrarySaysLater) {
  Board board(2);
  const Said said = run_on_device(board, {}, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    comm.barrier("both are here");
    float value = 0;
    if (comm.rank() == 1) {
      const std::lock_guard lock(board.mutex());
      board.trouble = "NCCL: a link went down";
    }
    if (comm.rank() == 0) comm.wait(comm.start_all_reduce(all, &value, 1, Element::fp32, "conv1"));
    while (true) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
      comm.done(comm.start_messages({}, {}, Element::fp32, "nothing"));
    }
  });
  EXPECT_THAT(said[0], AllOf(HasSubstr("all_reduce \"conv1\""), HasSubstr("a link went down")));
}

TEST(DeviceCommunicator, RefusesAGroupThatTheRankIsNoMemberOf) {
  Board board(2);
  run_on_device(board, {}, [&](Communicator& comm) {
    const GroupId first = comm.make_group(std::vector<int>{0});
    float value = 0;
    if (comm.rank() == 1) {
      EXPECT_THROW(comm.start_all_reduce(first, &value, 1, Element::fp32, "x"), Defect);
      EXPECT_THROW(comm.wait(1000), Defect);
    }
  });
}

}  // namespace device_communicator_test
}  // namespace oracle::fakes
