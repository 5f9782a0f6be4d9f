#include "validate/bench/step_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace step_report_test {

/// 8 GFLOP: 0.1 s alone, 0.125 s in a step of 0.16 s; beside it takes 0.2 s or 0.24 s.
StepBench made() {
  StepBench bench;
  bench.flops = 8e9;
  bench.alone_seconds = 0.1;
  bench.contraction_seconds = 0.125;
  bench.step_seconds = 0.16;
  bench.beside_seconds = {{"default", 0.24}, {"channels_last", 0.2}};
  return bench;
}

StepBenchRequest asked(Bars bars) {
  StepBenchRequest request;
  request.graph.name = "net";
  request.bars = bars;
  return request;
}

TEST(StepReport, RatesAndSharesFollowFromTheTimes) {
  const StepBench bench = made();
  EXPECT_DOUBLE_EQ(bench.best_rate(), 80e9);
  EXPECT_DOUBLE_EQ(bench.rate(), 64e9);
  EXPECT_DOUBLE_EQ(bench.step_rate(), 50e9);
  EXPECT_DOUBLE_EQ(bench.rest_share(), 0.21875);
  EXPECT_DOUBLE_EQ(bench.speed_beside(), 1.25) << "of the faster way";
}

TEST(StepReport, BarsHoldUpToTheirEdge) {
  const auto bars = verdicts(asked({0.625, 0.81, 0.21, 1.25}), made());
  ASSERT_EQ(bars.size(), 5U);
  EXPECT_TRUE(bars[0].holds());
  EXPECT_FALSE(bars[1].holds());
  EXPECT_FALSE(bars[2].holds());
  EXPECT_TRUE(bars[3].holds());
  EXPECT_TRUE(bars[4].holds());
}

TEST(StepReport, AnAvoidableReorderMissesItsBarUnasked) {
  StepBench bench = made();
  bench.activation_reorders = {{"norm", "batch_norm", Pass::forward, 16, 1, 64, false, false}};
  const auto bars = verdicts(asked({}), bench);
  ASSERT_EQ(bars.size(), 1U);
  EXPECT_FALSE(bars[0].holds());
  EXPECT_THAT(step_bench_text(asked({}), bench, {}), testing::HasSubstr("MISSED"));
}

TEST(StepReport, WithoutAProgramBesideItsBarIsNotJudged) {
  StepBench bench = made();
  bench.beside_seconds.clear();
  EXPECT_EQ(verdicts(asked({{}, {}, {}, 1}), bench).size(), 1U);
}

}  // namespace step_report_test
}  // namespace oracle
