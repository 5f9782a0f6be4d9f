#include "oracle/plan/pipeline_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace oracle {
namespace pipeline_order_test {

using enum PipelineSchedule;

/// "F0 F1 B0 …"
std::string order(PipelineSchedule schedule, std::int64_t ranks, std::int64_t rank,
                  std::int64_t micro_batches) {
  std::string text;
  for (const Turn& turn : rank_order({schedule, ranks, 1, micro_batches}, rank)) {
    if (!text.empty()) text += ' ';
    text += (turn.forward ? 'F' : 'B') + std::to_string(turn.micro_batch);
  }
  return text;
}

TEST(PipelineOrder, OneForwardOneBackward) {
  EXPECT_EQ(order(one_f_one_b, 2, 0, 3), "F0 F1 B0 F2 B1 B2");
  EXPECT_EQ(order(one_f_one_b, 2, 1, 3), "F0 B0 F1 B1 F2 B2");
  EXPECT_EQ(order(one_f_one_b, 4, 0, 5), "F0 F1 F2 F3 B0 F4 B1 B2 B3 B4");
  EXPECT_EQ(order(one_f_one_b, 4, 0, 2), "F0 F1 B0 B1");
}

TEST(PipelineOrder, GpipeRunsAllForwardsFirst) {
  EXPECT_EQ(order(gpipe, 2, 0, 3), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(order(gpipe, 2, 1, 3), "F0 F1 F2 B0 B1 B2");
}

TEST(PipelineOrder, WithoutStagesBothAccumulateGradients) {
  EXPECT_EQ(order(one_f_one_b, 1, 0, 3), "F0 B0 F1 B1 F2 B2");
  EXPECT_EQ(order(gpipe, 1, 0, 3), "F0 B0 F1 B1 F2 B2");
}

TEST(PipelineOrder, HoldsAtMostWhatIsInFlight) {
  for (const PipelineSchedule schedule : {one_f_one_b, gpipe}) {
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
      for (std::int64_t stage = 0; stage < stages; ++stage) {
        for (std::int64_t m = 1; m <= 7; ++m) {
          std::int64_t held = 0, most = 0, turns = 0;
          for (const Turn& turn : rank_order({schedule, stages, 1, m}, stage)) {
            held += turn.forward ? 1 : -1;
            most = std::max(most, held);
            ++turns;
          }
          EXPECT_EQ(held, 0);
          EXPECT_EQ(turns, 2 * m);
          EXPECT_EQ(in_flight({schedule, stages, 1, m}, stage), most) << stages << stage << m;
        }
      }
    }
  }
}

/// Two ranks of two stages each: 0 and 2 on rank 0.
TEST(PipelineOrder, OfChunksInterleavesTheStagesOfARank) {
  const PipelineForm form{one_f_one_b, 2, 2, 4};
  const std::vector<Turn> turns = rank_order(form, 0);
  ASSERT_EQ(turns.size(), 16U);
  EXPECT_EQ(turns[0], (Turn{true, 0, 0}));
  EXPECT_EQ(turns[2], (Turn{true, 0, 1}));
  EXPECT_EQ(turns[5], (Turn{false, 0, 1}));
  EXPECT_EQ(turns[9], (Turn{false, 0, 0}));
  EXPECT_EQ(form.stage_of(0, 1), 2);
  EXPECT_EQ(in_flight(form, 0), 5);
  EXPECT_EQ(in_flight(form, 1), 3);
}

/// What one rank sends another, or gets from it, in its order: the stage that makes it, the
/// direction and the micro-batch.
using Messages = std::vector<std::tuple<std::int64_t, bool, std::int64_t>>;
Messages messages(const PipelineForm& form, std::int64_t rank, std::int64_t other, bool sends) {
  Messages found;
  for (const Turn& turn : rank_order(form, rank)) {
    const std::int64_t own = form.stage_of(rank, turn.chunk);
    const bool goes_on = turn.forward == sends;
    const std::int64_t beside = goes_on ? own + 1 : own - 1;
    if (beside < 0 || beside >= form.stages() || form.rank_of(beside) != other) continue;
    found.emplace_back(sends ? own : beside, turn.forward, turn.micro_batch);
  }
  return found;
}

/// Two ranks of several chunks send each other outputs and gradients, which no label tells apart.
TEST(PipelineOrder, ARankGetsMessagesInTheOrderInWhichTheyAreSent) {
  for (std::int64_t ranks = 2; ranks <= 5; ++ranks) {
    for (std::int64_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::int64_t groups = 1; groups <= 4; ++groups) {
        const PipelineForm form{one_f_one_b, ranks, chunks, groups * ranks};
        for (std::int64_t pair = 0; pair < ranks * ranks; ++pair) {
          const std::int64_t from = pair / ranks, to = pair % ranks;
          EXPECT_EQ(messages(form, from, to, true), messages(form, to, from, false))
              << ranks << ' ' << chunks << ' ' << groups << ": " << from << " to " << to;
        }
      }
    }
  }
}

TEST(PipelineOrder, KnowsWhatIsInFlight) {
  EXPECT_EQ(in_flight({gpipe, 4, 1, 16}, 0), 16);
  EXPECT_EQ(in_flight({one_f_one_b, 4, 1, 16}, 0), 4);
  EXPECT_EQ(in_flight({one_f_one_b, 4, 1, 16}, 3), 1);
  EXPECT_EQ(in_flight({one_f_one_b, 4, 1, 2}, 0), 2);
}

}  // namespace pipeline_order_test
}  // namespace oracle
