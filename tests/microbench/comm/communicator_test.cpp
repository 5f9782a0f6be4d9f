#include "microbench/comm/communicator.h"

#include <array>
#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <thread>
#include <vector>

#include "oracle/base/error.h"
#include "tests/microbench/comm/memory_transport.h"

namespace oracle::fakes {
namespace communicator_test {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Leaves without an end together, once the others have said what they have to.
void leave_after(const std::atomic<int>& speaking) {
  while (speaking > 0) std::this_thread::yield();
  throw EnvironmentError("this rank leaves");
}

/// By rank. What a rank leaves behind is still sent from and written to while its communicator is
/// there.
template <std::size_t ranks>
using Outliving = std::array<std::array<float, 12>, ranks>;

template <std::size_t ranks>
float* own(Outliving<ranks>& buffers, const Communicator& comm) {
  return buffers[static_cast<std::size_t>(comm.rank())].data();
}

/// Waits for what fails, then for the others to fail, since they ask this rank.
void wait_in_vain(Communicator& comm, Ticket ticket, std::atomic<int>& speaking) {
  try {
    comm.wait(ticket);
  } catch (const EnvironmentError&) {
    --speaking;
    leave_after(speaking);
  }
}

GroupId all_ranks(Communicator& comm) {
  std::vector<int> ranks(static_cast<std::size_t>(comm.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  return comm.make_group(ranks);
}

TEST(Communicator, SumsOverRanksWhileOthersAreUnderWay) {
  std::atomic<int> wrong = 0;
  const Said said = run_ranks(4, {}, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    const GroupId pair = comm.make_group(std::vector<int>{comm.rank() % 2, comm.rank() % 2 + 2});
    std::vector<float> first(10, static_cast<float>(comm.rank() + 1));
    std::vector<float> second(7, static_cast<float>(comm.rank() + 1));
    const Ticket a = comm.start_all_reduce(all, first.data(), 10, Element::fp32, "first");
    const Ticket b = comm.start_all_reduce(pair, second.data(), 7, Element::fp32, "second");
    comm.wait(b);
    comm.wait(a);
    // 1 + 2 + 3 + 4; ranks 0 and 2 have 1 + 3, ranks 1 and 3 have 2 + 4.
    for (const float sum : first) wrong += sum == 10 ? 0 : 1;
    for (const float sum : second) wrong += sum == (comm.rank() % 2 == 0 ? 4.0F : 6.0F) ? 0 : 1;
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_THAT(said, Each(IsEmpty()));
}

TEST(Communicator, CountsBytesAsPlansDo) {
  std::vector<std::int64_t> bytes(3);
  run_ranks(3, {}, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    std::vector<float> buffer(300);
    std::vector<float> other(300);
    comm.wait(comm.start_all_reduce(all, buffer.data(), 300, Element::fp32, "a"));
    comm.barrier("not counted");
    comm.gather("nor this", "text");
    comm.any(true, "nor this");
    bytes[static_cast<std::size_t>(comm.rank())] = comm.bytes_sent();
    comm.reset_bytes();
    comm.wait(comm.start_all_gather(all, buffer.data(), other.data(), 100, Element::fp32, "b"));
    bytes[static_cast<std::size_t>(comm.rank())] += 10000 * comm.bytes_sent();
  });
  // 2 · 2/3 · 1200 = 1600 and 2/3 · 1200 = 800
  EXPECT_THAT(bytes, Each(1600 + 10000 * 800));
}

TEST(Communicator, SharesOfAnUnevenAllReduceAddUpToTheRule) {
  std::atomic<std::int64_t> total = 0;
  run_ranks(3, {}, [&](Communicator& comm) {
    std::vector<float> buffer(100);
    comm.wait(comm.start_all_reduce(all_ranks(comm), buffer.data(), 100, Element::fp32, "a"));
    total += comm.bytes_sent();
  });
  EXPECT_EQ(total, 2 * 2 * 100 * 4);
}

TEST(Communicator, MessagesOfAPairMatchInTheirOrder) {
  std::vector<float> received(2);
  run_ranks(2, {}, [&](Communicator& comm) {
    float values[2] = {1, 2};
    if (comm.rank() == 0) {
      const std::vector<Peer> first = {{1, &values[0], 1}};
      const std::vector<Peer> second = {{1, &values[1], 1}};
      const Ticket a = comm.start_messages(first, {}, Element::fp32, "first");
      comm.wait(comm.start_messages(second, {}, Element::fp32, "second"));
      comm.wait(a);
    } else {
      const std::vector<Peer> both = {{0, &received[0], 1}, {0, &received[1], 1}};
      comm.wait(comm.start_messages({}, both, Element::fp32, "both"));
    }
  });
  EXPECT_THAT(received, ::testing::ElementsAre(1, 2));
}

TEST(Communicator, GathersTextsInRankOrder) {
  std::vector<std::string> texts;
  run_ranks(3, {}, [&](Communicator& comm) {
    const auto found = comm.gather(std::string(static_cast<std::size_t>(comm.rank()), 'x'), "t");
    if (comm.rank() == 0) texts = found;
    EXPECT_EQ(found.size(), comm.rank() == 0 ? 3U : 0U);
  });
  EXPECT_THAT(texts, ::testing::ElementsAre("", "x", "xx"));
}

TEST(Communicator, AllLearnWhetherAnySaysYes) {
  run_ranks(3, {}, [&](Communicator& comm) {
    EXPECT_FALSE(comm.any(false, "nobody"));
    for (int rank = 0; rank < 3; ++rank) EXPECT_TRUE(comm.any(comm.rank() == rank, "one"));
    EXPECT_TRUE(comm.any(true, "all"));
  });
}

TEST(Communicator, NamesTheRankThatDoesNotCome) {
  WatchdogOptions options;
  options.seconds = 0.3;
  std::atomic<int> speaking = 2;
  Outliving<3> buffers{};
  const Said said = run_ranks(3, options, [&](Communicator& comm) {
    const GroupId all = all_ranks(comm);
    if (comm.rank() == 1) leave_after(speaking);
    wait_in_vain(comm, comm.start_all_reduce(all, own(buffers, comm), 1, Element::fp32, "conv1"),
                 speaking);
  });
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(said[rank], AllOf(HasSubstr("all_reduce \"conv1\" of 1 fp32 over ranks 0 1 2"),
                                  HasSubstr("did not complete in 0.3 s: rank 1 ("),
                                  HasSubstr("has not come: it computes")));
  }
  EXPECT_THAT(said[1], IsEmpty());
}

TEST(Communicator, NamesTheRankWithAnotherSize) {
  std::atomic<int> speaking = 2;
  Outliving<3> buffers{};
  const Said said = run_ranks(3, {}, [&](Communicator& comm) {
    const Ticket ticket = comm.start_all_reduce(all_ranks(comm), own(buffers, comm),
                                                comm.rank() == 2 ? 9 : 12, Element::fp32, "conv1");
    // Its neighbour before it agrees, so nothing is wrong as far as rank 1 can see.
    if (comm.rank() == 1) leave_after(speaking);
    wait_in_vain(comm, ticket, speaking);
  });
  for (const std::size_t rank : {0U, 2U}) {
    EXPECT_THAT(said[rank],
                ContainsRegex("; rank 2 \\([^;]* has all_reduce \"conv1\" of 9 fp32, the "
                              "others all_reduce \"conv1\" of 12 fp32"));
  }
}

TEST(Communicator, NamesTheSenderOfAMessageTooShortOrTooLong) {
  for (const int sent : {3, 5}) {
    std::atomic<int> speaking = 1;
    Outliving<2> buffers{};
    const Said said = run_ranks(2, {}, [&](Communicator& comm) {
      const std::vector<Peer> side = {
          {1 - comm.rank(), own(buffers, comm), comm.rank() == 0 ? sent : 4}};
      if (comm.rank() == 0) {
        comm.wait(comm.start_messages(side, {}, Element::fp32, "halo"));
        leave_after(speaking);
      }
      wait_in_vain(comm, comm.start_messages({}, side, Element::fp32, "halo"), speaking);
    });
    EXPECT_THAT(said[1], AllOf(HasSubstr("messages \"halo\" with rank 0: "),
                               HasSubstr(sent == 3 ? "rank 0 sent 12 bytes where 16 are due"
                                                   : "rank 0 sent more than the 16 bytes")));
  }
}

TEST(Communicator, RefusesAGroupThatTheRankIsNoMemberOf) {
  run_ranks(2, {}, [&](Communicator& comm) {
    const GroupId first = comm.make_group(std::vector<int>{0});
    float value = 0;
    if (comm.rank() == 1) {
      EXPECT_THROW(comm.start_all_reduce(first, &value, 1, Element::fp32, "x"), Defect);
      EXPECT_THROW(comm.wait(1000), Defect);
    }
  });
}

}  // namespace communicator_test
}  // namespace oracle::fakes
