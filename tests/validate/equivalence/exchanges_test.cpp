// What travels of compressed gradients is what the plan says, and training with them goes where
// training without them goes.

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"

namespace oracle {
namespace exchanges_test {

void expect_planned_bytes(const Outcome& outcome, const std::string& strategy) {
  EXPECT_EQ(outcome.unplanned_bytes, 0) << strategy;
  // A rank counts whole bytes, and its share of a ring need not be.
  EXPECT_NEAR(outcome.sent_bytes, outcome.item_bytes, 8) << strategy;
  for (const ItemOutcome& item : outcome.items) {
    EXPECT_DOUBLE_EQ(item.sent_bytes, item.plan_bytes) << strategy << ": " << item.name;
  }
}

/// Whose buffers are in the host's memory.
RunOptions on_the_processor() {
  RunOptions options;
  options.backend = [] { return make_cpu_backend(1); };
  return options;
}

void expect_planned_run(const std::string& strategy) {
  RunOptions options = on_the_processor();
  options.batch = 7;
  const Outcome outcome = run_alone(uneven_network(), strategy, options);
  expect_planned_bytes(outcome, strategy);
  for (const double loss : outcome.losses) EXPECT_TRUE(std::isfinite(loss)) << strategy;
}

using Exchanges = testing::TestWithParam<const char*>;

class CompressedGradients : public Exchanges {};
TEST_P(CompressedGradients, SendWhatThePlanSays) {
  for (const char* mesh :
       {"data:2", "data:4", "data:2; bucket=100 B", "data:4; bucket=1 kB; overlap=off",
        "data:2,filter:2", "data:3; micro_batches=2", "data:2,pipeline:2; micro_batches=2",
        "height:2", "conv*=data:2; fc*=filter:2"}) {
    expect_planned_run(std::string(mesh) + "; exchange=" + GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, CompressedGradients,
                         testing::Values("fp16", "bf16", "int8", "onebit", "topk:1%", "topk:100%",
                                         "sketch:1%", "sketch:50%"));

class MergedGradients : public Exchanges {};
TEST_P(MergedGradients, SendWhatThePlanSays) {
  for (const char* mesh : {"data:2", "data:4; bucket=1 kB; overlap=off", "data:2,filter:2",
                           "data:2; micro_batches=2", "data:2,pipeline:2; micro_batches=2"}) {
    expect_planned_run(std::string(mesh) + "; exchange=" + GetParam());
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, MergedGradients, testing::Values("gtopk:1%", "gtopk:100%"));

class AveragedWeights : public Exchanges {};
TEST_P(AveragedWeights, SendWhatThePlanSays) {
  for (const char* mesh : {"data:2", "data:4; bucket=100 B", "data:3; micro_batches=2",
                           "data:2,pipeline:2; micro_batches=2", "data:2,filter:2"}) {
    const std::string strategy = std::string(mesh) + "; exchange=" + GetParam();
    RunOptions options = on_the_processor();
    options.batch = 7;
    options.steps = 8;
    expect_planned_bytes(run_alone(uneven_network(), strategy, options), strategy);
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, AveragedWeights, testing::Values("local:1", "local:4"));

class ParameterServers : public Exchanges {};
TEST_P(ParameterServers, SendWhatThePlanSays) {
  for (const char* mesh : {"data:2", "data:4; bucket=100 B", "data:4; overlap=off",
                           "data:3; micro_batches=2", "data:2,pipeline:2; micro_batches=2",
                           "data:2,filter:2", "height:2", "conv*=data:2; fc*=filter:2"}) {
    const std::string strategy = std::string(mesh) + "; exchange=" + GetParam();
    RunOptions options = on_the_processor();
    options.batch = 7;
    const Outcome outcome = run_both(uneven_network(), strategy, options);
    expect_planned_bytes(outcome, strategy);
    ASSERT_TRUE(outcome.check.has_value());
    EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy;
    EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
    for (const ParameterError& error : outcome.check->errors) {
      EXPECT_LE(error.relative, kFp32Rounding.equal) << strategy << ": " << error.name;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, ParameterServers,
                         testing::Values("servers:1", "servers:2", "servers:3", "servers:4"));

class StaleParameterServers : public Exchanges {};
TEST_P(StaleParameterServers, SendWhatThePlanSays) {
  for (const char* mesh :
       {"data:2", "data:4; bucket=100 B", "data:4; overlap=off", "data:3; micro_batches=2"}) {
    const std::string strategy = std::string(mesh) + "; exchange=" + GetParam();
    RunOptions options = on_the_processor();
    options.batch = 7;
    options.steps = 6;
    const Outcome outcome = run_alone(uneven_network(), strategy, options);
    expect_planned_bytes(outcome, strategy);
    EXPECT_GT(outcome.staleness.gradients, 0);
    for (const double loss : outcome.losses) EXPECT_TRUE(std::isfinite(loss)) << strategy;
  }
}
INSTANTIATE_TEST_SUITE_P(Equivalence, StaleParameterServers,
                         testing::Values("servers:1; staleness=0", "servers:2; staleness=2",
                                         "servers:4; staleness=any"));

TEST(Equivalence, ServersThatLetNobodyRunAheadTrainAsTheSerialRunDoes) {
  for (const char* strategy : {"data:2; exchange=servers:1; staleness=0",
                               "data:4; exchange=servers:2; staleness=0; bucket=1 kB"}) {
    RunOptions options = on_the_processor();
    options.batch = 8;
    options.steps = 6;
    options.optimizer = "sgd";
    const Outcome outcome = run_both(uneven_network(), strategy, options);
    ASSERT_TRUE(outcome.check.has_value());
    EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy;
  }
}

TEST(Equivalence, WeightsAveragedInEachStepTrainAsTheSerialRunDoes) {
  for (const char* strategy : {"data:2; exchange=local:1", "data:4; exchange=local:1"}) {
    for (const char* optimizer : {"sgd", "momentum"}) {
      RunOptions options = on_the_processor();
      options.batch = 8;
      options.steps = 6;
      options.optimizer = optimizer;
      const Outcome outcome = run_both(uneven_network(), strategy, options);
      ASSERT_TRUE(outcome.check.has_value());
      EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy << ' ' << optimizer;
    }
  }
}

/// Where nothing is left out.
TEST(Equivalence, ExchangesThatLoseNothingEqualTheSerialRun) {
  for (const char* strategy :
       {"data:2; exchange=topk:100%", "data:4; exchange=topk:100%; bucket=1 kB",
        "data:2,filter:2; exchange=topk:100%", "data:2; exchange=gtopk:100%",
        "data:4; exchange=gtopk:100%; bucket=1 kB"}) {
    RunOptions options = on_the_processor();
    options.batch = 7;
    const Outcome outcome = run_both(uneven_network(), strategy, options);
    ASSERT_TRUE(outcome.check.has_value());
    EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal) << strategy;
    EXPECT_TRUE(outcome.check->missing.empty()) << strategy;
    for (const ParameterError& error : outcome.check->errors) {
      EXPECT_LE(error.relative, kFp32Rounding.equal) << strategy << ": " << error.name;
    }
  }
}

/// Of the last ten of 200 steps of gradient descent on the generated set.
double final_loss(const std::string& exchange) {
  RunOptions options = on_the_processor();
  options.batch = 16;
  options.steps = 200;
  options.rate = 0.03;
  options.optimizer = "sgd";
  const Outcome outcome = run_alone(plain_network(), "data:4; exchange=" + exchange, options);
  return std::accumulate(outcome.losses.end() - 10, outcome.losses.end(), 0.0) / 10;
}

TEST(Equivalence, CompressedGradientsTrainAsOthersDo) {
  const double synchronous = final_loss("auto");
  EXPECT_LE(synchronous, 0.25) << "of 1.9 at first";
  EXPECT_NEAR(final_loss("bf16"), synchronous, 0.02);
  EXPECT_NEAR(final_loss("int8"), synchronous, 0.02);
  EXPECT_NEAR(final_loss("onebit"), synchronous, 0.05);
  EXPECT_NEAR(final_loss("topk:10%"), synchronous, 0.02);
  EXPECT_NEAR(final_loss("topk:1%"), synchronous, 0.1);
  EXPECT_NEAR(final_loss("gtopk:10%"), synchronous, 0.05);
  EXPECT_NEAR(final_loss("sketch:10%"), synchronous, 0.1);
  EXPECT_NEAR(final_loss("local:1"), synchronous, 1e-4);
  EXPECT_NEAR(final_loss("local:4"), synchronous, 0.12);
  EXPECT_NEAR(final_loss("servers:2"), synchronous, 1e-4);
  EXPECT_LE(final_loss("servers:2; staleness=any"), 0.6)
      << "how stale gradients are depends on the machine";
}

}  // namespace exchanges_test
}  // namespace oracle
