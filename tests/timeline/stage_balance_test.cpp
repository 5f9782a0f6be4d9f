#include "oracle/timeline/stage_balance.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <limits>
#include <random>

#include "oracle/timeline/pipeline.h"

namespace oracle {
namespace stage_balance_test {

using Firsts = std::vector<LayerId>;

std::vector<Seconds> seconds(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> thirds(std::vector<double> values) {
  for (double& value : values) value /= 3;
  return values;
}

/// Layers with messages of `sent` each way; a stage may begin anywhere.
StageCosts costs_of(const std::vector<double>& layers, const std::vector<double>& sent) {
  return {seconds(layers), seconds(thirds(layers)), seconds(sent),
          std::vector<Seconds>(layers.size()), std::vector<bool>(layers.size(), true)};
}

/// The step as the header says it, of stages that begin there.
double step_of(const StageCosts& costs, const Firsts& firsts, std::int64_t micro_batches) {
  const std::size_t stages = firsts.size() - 1;
  const std::int64_t count = std::max<std::int64_t>(micro_batches, 2);
  const auto m = static_cast<double>(count);
  double length = 0, way = 0;
  for (std::size_t s = stages; s-- > 0;) {
    double own = 0;
    for (LayerId id = firsts[s]; id < firsts[s + 1]; ++id) own += costs.layers[id].value;
    double forward = 0, backward = 0;
    if (s + 1 < stages) {
      forward = costs.forward[firsts[s + 1]].value;
      backward = costs.backward[firsts[s + 1]].value;
    }
    const auto held = static_cast<std::int64_t>(stages - s);
    const std::int64_t under_way = std::min(held, count);
    const auto trips = static_cast<double>((count + under_way - 1) / under_way);
    const double once = own + forward + backward;
    const double ahead = static_cast<double>(under_way - 1) * own / 3;
    length = s + 1 == stages ? m * own
                             : std::max({m * own, once + length, own + m * forward + backward + way,
                                         own + forward + m * backward + way, trips * (once + way),
                                         once + way + (m - 1) * own - ahead});
    way += once;
  }
  return length;
}

/// Calls `check` with every way to cut.
template <typename Check>
void on_all(const StageCosts& costs, std::size_t stages, Firsts& firsts, const Check& check) {
  if (firsts.size() == stages) {
    firsts.push_back(static_cast<LayerId>(costs.layers.size()));
    check(firsts);
    firsts.pop_back();
    return;
  }
  for (LayerId id = firsts.back() + 1; id < costs.layers.size(); ++id) {
    if (!costs.may_begin[id]) continue;
    firsts.push_back(id);
    on_all(costs, stages, firsts, check);
    firsts.pop_back();
  }
}

TEST(StageBalance, WeighsMessagesAgainstEvenStages) {
  EXPECT_EQ(balance_stages(costs_of({3, 1, 2, 2}, {0, 0, 0, 0}), 2, 4), (Firsts{0, 2, 4}));
  EXPECT_EQ(balance_stages(costs_of({3, 1, 2, 2}, {0, 0, 9, 0}), 2, 4), (Firsts{0, 1, 4}));
}

TEST(StageBalance, KeepsToWhereStagesMayBegin) {
  StageCosts costs = costs_of({1, 1, 1, 1}, {0, 0, 0, 0});
  costs.may_begin = {true, true, false, true};
  EXPECT_NE(balance_stages(costs, 2, 4)[1], 2U);
  EXPECT_EQ(balance_stages(costs, 3, 4), (Firsts{0, 1, 3, 4}));
  EXPECT_TRUE(balance_stages(costs, 4, 4).empty());
}

struct Drawn {
  StageCosts costs;
  std::int64_t stages = 1, micro_batches = 1;
};

Drawn draw(std::mt19937& random) {
  const auto whole = [&](unsigned most) { return static_cast<double>(random() % (most + 1)); };
  Drawn drawn;
  const std::size_t layers = 3 + random() % 8;
  const unsigned message = random() % 2 == 0 ? 3 : 30;
  for (std::size_t id = 0; id < layers; ++id) {
    drawn.costs.layers.emplace_back(whole(20));
    drawn.costs.ahead.push_back(drawn.costs.layers.back() / 3);
    drawn.costs.forward.emplace_back(whole(message));
    drawn.costs.backward.emplace_back(whole(message));
    drawn.costs.may_begin.push_back(random() % 5 != 0);
  }
  drawn.stages = 1 + static_cast<std::int64_t>(random() % 5);
  drawn.micro_batches = 1 + static_cast<std::int64_t>(random() % 12);
  return drawn;
}

TEST(StageBalance, IsTheBestOfAllWays) {
  std::mt19937 random(5);
  int cut = 0;
  for (int round = 0; round < 3000; ++round) {
    const Drawn drawn = draw(random);
    double best = std::numeric_limits<double>::infinity();
    Firsts firsts = {0};
    on_all(drawn.costs, static_cast<std::size_t>(drawn.stages), firsts, [&](const Firsts& way) {
      best = std::min(best, step_of(drawn.costs, way, drawn.micro_batches));
    });
    const Firsts found = balance_stages(drawn.costs, drawn.stages, drawn.micro_batches);
    ASSERT_EQ(found.empty(), best == std::numeric_limits<double>::infinity()) << round;
    if (found.empty()) continue;
    ++cut;
    EXPECT_NEAR(step_of(drawn.costs, found, drawn.micro_batches), best, 1e-9 * best) << round;
  }
  EXPECT_GE(cut, 1500);
}

/// What the formula leaves out of how turns interlock moves few steps, and none by much.
TEST(StageBalance, IsNearTheBestThatIsRun) {
  std::mt19937 random(6);
  const auto run = [](const Drawn& drawn, const Firsts& firsts) {
    std::vector<StageTimes> times;
    for (std::size_t s = 0; s + 1 < firsts.size(); ++s) {
      StageTimes own;
      for (LayerId id = firsts[s]; id < firsts[s + 1]; ++id) own.forward += drawn.costs.layers[id];
      own.backward = own.last_backward = own.forward * (2.0 / 3);
      own.forward = own.forward * (1.0 / 3);
      if (s + 2 < firsts.size()) {
        own.to_next = drawn.costs.forward[firsts[s + 1]];
        own.from_next = drawn.costs.backward[firsts[s + 1]];
      }
      times.push_back(own);
    }
    double end = 0;
    const PipelineForm form{.ranks = static_cast<std::int64_t>(times.size()),
                            .micro_batches = drawn.micro_batches};
    const auto starts = last_turns(form, times);
    for (std::size_t s = 0; s < times.size(); ++s) {
      end = std::max(end, (starts[s] + times[s].last_backward).value);
    }
    return end;
  };
  double sum = 0;
  int count = 0;
  for (int round = 0; round < 1000; ++round) {
    const Drawn drawn = draw(random);
    if (drawn.micro_batches < 2) continue;
    double best = std::numeric_limits<double>::infinity();
    Firsts firsts = {0};
    on_all(drawn.costs, static_cast<std::size_t>(drawn.stages), firsts,
           [&](const Firsts& way) { best = std::min(best, run(drawn, way)); });
    const Firsts found = balance_stages(drawn.costs, drawn.stages, drawn.micro_batches);
    if (found.empty() || best == 0) continue;
    const double longer = run(drawn, found) / best - 1;
    EXPECT_LE(longer, 0.25) << round;
    sum += longer;
    ++count;
  }
  EXPECT_LE(sum / count, 0.01);
}

TEST(StageBalance, ThinsOutWhatIsTooMuchToTryAll) {
  std::mt19937 random(7);
  StageCosts costs;
  double all = 0;
  for (int id = 0; id < 10'000; ++id) {
    costs.layers.emplace_back(1 + static_cast<double>(random() % 5));
    costs.forward.emplace_back(static_cast<double>(random() % 3));
    costs.backward.emplace_back(0);
    costs.may_begin.push_back(true);
    costs.ahead.push_back(costs.layers.back() / 3);
    all += costs.layers.back().value;
  }
  const Firsts firsts = balance_stages(costs, 16, 64);
  ASSERT_EQ(firsts.size(), 17U);
  EXPECT_LE(step_of(costs, firsts, 64), (63.0 / 16 + 1) * all * 1.05);
}

TEST(StageBalance, NoOrderIsShorterThanTheWayToARankAndItsWork) {
  const std::vector<Seconds> layers = seconds({1, 1, 1, 1, 2, 4});
  const Firsts firsts = {0, 1, 3, 4, 6};  // stages of 1, 2, 1 and 6 s
  EXPECT_EQ(least_step(layers, firsts, 4, 5), Seconds{1 + 2 + 1 + 5 * 6});
  EXPECT_EQ(least_step(layers, firsts, 2, 5), Seconds{1 + 5 * (2 + 6)});
  EXPECT_EQ(least_step(seconds({1, 2, 3, 4}), {0, 1, 2, 3, 4}, 2, 5), Seconds{31});
}

}  // namespace stage_balance_test
}  // namespace oracle
