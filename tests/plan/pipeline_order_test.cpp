#include "oracle/plan/pipeline_order.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>

namespace oracle {
namespace pipeline_order_test {

using enum PipelineSchedule;

constexpr std::string_view kLetters = "FBW";

/// "F0 F1 B0 …"
std::string order(const PipelineForm& form, std::int64_t rank) {
  std::string text;
  for (const Turn& turn : rank_order(form, rank)) {
    if (!text.empty()) text += ' ';
    text += kLetters[static_cast<std::size_t>(turn.kind)] + std::to_string(turn.micro_batch);
    if (turn.paired) text += '+';
  }
  return text;
}
std::string order(PipelineSchedule schedule, std::int64_t ranks, std::int64_t rank,
                  std::int64_t micro_batches) {
  return order({schedule, ranks, 1, micro_batches}, rank);
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

TEST(PipelineOrder, WithoutStagesAllAccumulateGradients) {
  for (const PipelineSchedule schedule : {one_f_one_b, gpipe, zb_h1, zb_h2}) {
    EXPECT_EQ(order(schedule, 1, 0, 3), "F0 B0 F1 B1 F2 B2");
  }
}

TEST(PipelineOrder, OfZeroBubblesMakesGradientsOfWeightsLater) {
  EXPECT_EQ(order(zb_h1, 2, 0, 3), "F0 F1 B0 W0 F2 B1 W1 B2 W2");
  EXPECT_EQ(order(zb_h1, 2, 1, 3), "F0 B0 F1 B1 W0 F2 B2 W1 W2");
  EXPECT_EQ(order(zb_h2, 2, 0, 3), "F0 F1 F2 B0 W0 B1 W1 B2 W2");
  EXPECT_EQ(order(zb_h2, 2, 1, 3), "F0 B0 F1 B1 F2 B2 W0 W1 W2");
}

/// A forward and the backward behind it are of two micro-batches.
TEST(PipelineOrder, InPairsBeginsWithOneForwardMore) {
  const auto in_pairs = [](std::int64_t ranks, std::int64_t rank, std::int64_t m) {
    return order({one_f_one_b, ranks, 1, m, true}, rank);
  };
  EXPECT_EQ(in_pairs(1, 0, 3), "F0 F1+ B0+ F2+ B1+ B2");
  EXPECT_EQ(in_pairs(2, 0, 4), "F0 F1 F2+ B0+ F3+ B1+ B2 B3");
  EXPECT_EQ(in_pairs(2, 1, 4), "F0 F1+ B0+ F2+ B1+ F3+ B2+ B3");
  EXPECT_EQ(in_pairs(4, 0, 2), "F0 F1+ B0+ B1") << "no more than there are";
  EXPECT_EQ(in_pairs(2, 0, 1), "F0 B0");
  EXPECT_EQ(order({gpipe, 2, 1, 3, true}, 0), "F0 F1 F2 B0 B1 B2");
}

TEST(PipelineOrder, CountsWhatAStageRunsAlone) {
  for (std::int64_t ranks = 1; ranks <= 4; ++ranks) {
    for (std::int64_t chunks = 1; chunks <= (ranks > 1 ? 3 : 1); ++chunks) {
      for (const std::int64_t m : {1, 4, 8, 24}) {
        const PipelineForm form{one_f_one_b, ranks, chunks, m, true};
        if (chunks > 1 && m % ranks != 0) continue;
        for (std::int64_t stage = 0; stage < form.stages(); ++stage) {
          std::int64_t alone_of[2] = {0, 0}, open = 0;
          for (const Turn& turn : rank_order(form, form.rank_of(stage))) {
            open += turn.paired ? (turn.is_forward() ? 1 : -1) : 0;
            EXPECT_TRUE(open == 0 || open == 1) << "of each direction one";
            if (turn.chunk != stage / ranks || turn.paired) continue;
            ++alone_of[turn.is_forward() ? 0 : 1];
          }
          EXPECT_EQ(open, 0);
          EXPECT_EQ(alone(form, TurnKind::forward, stage), alone_of[0]);
          EXPECT_EQ(alone(form, TurnKind::backward, stage), alone_of[1]);
        }
      }
    }
  }
}

TEST(PipelineOrder, HoldsAtMostWhatIsInFlight) {
  for (const PipelineSchedule schedule : {one_f_one_b, gpipe, zb_h1, zb_h2}) {
    for (std::int64_t stages = 1; stages <= 5; ++stages) {
      for (std::int64_t stage = 0; stage < stages; ++stage) {
        for (std::int64_t m = 1; m <= 12; ++m) {
          const PipelineForm form{schedule, stages, 1, m};
          std::int64_t held = 0, most = 0, waiting = 0, turns = 0;
          for (const Turn& turn : rank_order(form, stage)) {
            if (turn.kind != TurnKind::weights) held += turn.is_forward() ? 1 : -1;
            if (turn.kind == TurnKind::backward && form.parts_backward()) ++waiting;
            if (turn.kind == TurnKind::weights) --waiting;
            most = std::max(most, held);
            EXPECT_LE(waiting, weights_lag(form, stage) + 1);
            ++turns;
          }
          EXPECT_EQ(held, 0);
          EXPECT_EQ(waiting, 0);
          EXPECT_EQ(turns, form.turns());
          EXPECT_EQ(in_flight(form, stage), most) << stages << stage << m;
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
  EXPECT_EQ(turns[0], (Turn{TurnKind::forward, 0, 0}));
  EXPECT_EQ(turns[2], (Turn{TurnKind::forward, 0, 1}));
  EXPECT_EQ(turns[5], (Turn{TurnKind::backward, 0, 1}));
  EXPECT_EQ(turns[9], (Turn{TurnKind::backward, 0, 0}));
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
    if (turn.kind == TurnKind::weights) continue;
    const std::int64_t own = form.stage_of(rank, turn.chunk);
    const bool goes_on = turn.is_forward() == sends;
    const std::int64_t beside = goes_on ? own + 1 : own - 1;
    if (beside < 0 || beside >= form.stages() || form.rank_of(beside) != other) continue;
    found.emplace_back(sends ? own : beside, turn.is_forward(), turn.micro_batch);
  }
  return found;
}

/// Two ranks of several chunks send each other outputs and gradients, which no label tells apart.
TEST(PipelineOrder, ARankGetsMessagesInTheOrderInWhichTheyAreSent) {
  for (std::int64_t ranks = 2; ranks <= 5; ++ranks) {
    for (std::int64_t chunks = 1; chunks <= 4; ++chunks) {
      for (std::int64_t groups = 1; groups <= 4; ++groups) {
        for (const auto& [schedule, together] :
             {std::pair{one_f_one_b, false}, {one_f_one_b, true}, {zb_h1, false}}) {
          const PipelineForm form{schedule, ranks, chunks, groups * ranks, together};
          if (form.parts_backward() && chunks > 1 && ranks == 2) continue;  // bind() refuses these
          for (std::int64_t pair = 0; pair < ranks * ranks; ++pair) {
            const std::int64_t from = pair / ranks, to = pair % ranks;
            EXPECT_EQ(messages(form, from, to, true), messages(form, to, from, false))
                << ranks << ' ' << chunks << ' ' << groups << ": " << from << " to " << to;
          }
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
  EXPECT_EQ(in_flight({zb_h1, 4, 1, 16}, 1), 3);
  EXPECT_EQ(in_flight({zb_h2, 4, 1, 16}, 1), 5);
  EXPECT_EQ(weights_lag({zb_h1, 4, 1, 16}, 1), 1);
  EXPECT_EQ(weights_lag({zb_h2, 4, 1, 16}, 1), 2);
}

}  // namespace pipeline_order_test
}  // namespace oracle
