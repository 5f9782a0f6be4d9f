// Steps that are replayed from a recording are those that run as they are, bit for bit
// (tests/emulated_gpu/README.md).

#include <algorithm>
#include <cctype>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/emulated_gpu/stream.h"
#include "tests/plan/tiny_graphs.h"
#include "tests/validate/in_process.h"
#include "tests/validate/networks.h"
#include "validate/data/dataset.h"
#include "validate/equivalence/solo.h"
#include "validate/executor/executor.h"
#include "validate/executor/step_replay.h"

namespace oracle {
namespace replay_emulated_gpu_test {

constexpr std::int64_t kSteps = 6;
constexpr std::int64_t kBefore = 2;

Graph network_named(std::string_view name) {
  if (name == "residual") return residual_network();
  if (name == "shortcut") return shortcut_network();
  return name == "plain" ? plain_network() : network_of_file(name);
}

OptimizerStep optimizer_named(std::string_view name) {
  OptimizerStep step;
  step.rate = 1e-3;
  if (name != "sgd") step.momentum = 0.9;
  if (name == "adam") step.second_moment = 0.999;
  return step;
}

struct Trained {
  std::vector<StepRecord> steps;
  std::vector<std::vector<float>> weights;

  std::int64_t replayed() const {
    return std::count_if(steps.begin(), steps.end(), [](const auto& s) { return s.replayed; });
  }
};

std::vector<std::vector<float>> weights_of(const Executor& executor) {
  std::vector<std::vector<float>> all;
  for (const TrainedLayer& trained : executor.program().trained) {
    const Weights& weights = executor.weights(trained.layer);
    for (std::size_t i = 0; i < trained.parameters.size(); ++i) {
      all.emplace_back(static_cast<std::size_t>(weights.elements(i)));
      weights.read(i, all.back().data());
    }
  }
  return all;
}

/// Others use the back end between two steps, and leave their values in what they were lent.
void scribble(Backend& backend) {
  for (std::int64_t size = 16; size <= 1 << 16; size *= 2) {
    const auto tensor = backend.tensor({1, 1, 1, 1, size});
    const std::vector<float> values(static_cast<std::size_t>(size), 1e30F);
    tensor->write({{0, 0, 0, 0, 0}, tensor->extents()}, values.data());
  }
}

struct Case {
  std::string_view network, optimizer, precision = "fp32", strategy = "serial";
};

void PrintTo(const Case& what, std::ostream* to) {
  *to << what.network << ' ' << what.optimizer << ' ' << what.precision << ' ' << what.strategy;
}

/// "residual_adam_fp32_serial__micro_batches_2"
std::string name_of(const testing::TestParamInfo<Case>& info) {
  std::string name = testing::PrintToString(info.param);
  std::replace_if(
      name.begin(), name.end(), [](char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}

Trained trained(const Case& what, std::int64_t replay_after) {
  const Graph graph = network_named(what.network);
  const Plan plan = plan_of(graph, what.strategy, 4, what.precision);
  Solo solo;
  const auto backend = emulated_gpu_backend(what.precision);
  ExecutorOptions options;
  options.optimizer = optimizer_named(what.optimizer);
  options.replay_after = replay_after;
  Executor executor(graph, plan, *backend, solo, options);
  Trained result;
  for (std::int64_t step = 1; step <= kSteps; ++step) {
    result.steps.push_back(executor.step(step));
    scribble(*backend);
  }
  result.weights = weights_of(executor);
  return result;
}

class Replayed : public testing::TestWithParam<Case> {};

TEST_P(Replayed, StepsAreThoseThatRunAsTheyAre) {
  const Trained run = trained(GetParam(), 0), replayed = trained(GetParam(), kBefore);
  EXPECT_EQ(run.replayed(), 0);
  EXPECT_GE(replayed.replayed(), 2);
  EXPECT_EQ(run.weights, replayed.weights);
  for (std::size_t step = 0; step < run.steps.size(); ++step) {
    EXPECT_EQ(run.steps[step].loss, replayed.steps[step].loss) << step;
    EXPECT_EQ(run.steps[step].peak_memory, replayed.steps[step].peak_memory) << step;
  }
}
INSTANTIATE_TEST_SUITE_P(
    Equivalence, Replayed,
    testing::Values(Case{"residual", "momentum"}, Case{"residual", "adam"},
                    Case{"residual", "momentum", "tf32"}, Case{"residual", "sgd", "bf16"},
                    Case{"residual", "adam", "bf16"}, Case{"shortcut", "momentum"},
                    Case{"shortcut", "adam", "bf16"}, Case{"volume", "momentum"},
                    Case{"uneven", "adam"}, Case{"attention", "momentum", "bf16"},
                    Case{"transformer", "adam"}, Case{"text", "adam", "bf16"}),
    name_of);
// What one rank can do differently.
INSTANTIATE_TEST_SUITE_P(
    Strategies, Replayed,
    testing::Values(Case{"residual", "adam", "fp32", "serial; micro_batches=2"},
                    Case{"plain", "momentum", "bf16", "serial; micro_batches=3"},
                    Case{"residual", "momentum", "bf16", "serial; fusion=off"},
                    Case{"residual", "momentum", "fp32",
                         "serial; micro_batches=2; batch_norm=synchronized"},
                    Case{"text", "momentum", "fp32", "serial; micro_batches=2; schedule=gpipe"}),
    name_of);

/// What is replayed has no times of its own; what ran before it does.
TEST(ReplayedSteps, HaveNoTimesOfItems) {
  const Trained result = trained({"residual", "momentum"}, kBefore);
  for (const StepRecord& step : result.steps) {
    EXPECT_EQ(step.item_seconds.empty(), step.replayed);
    EXPECT_GT(step.seconds, 0);
  }
  EXPECT_FALSE(result.steps[kBefore - 1].replayed);
}

/// Once before they begin, for their samples, and once at their end.
TEST(ReplayedSteps, WaitAtTheirEndsAloneAndTakeNothing) {
  const Graph graph = residual_network();
  const Plan plan = plan_of(graph, "serial", 4);
  Solo solo;
  const auto backend = emulated_gpu_backend();
  ExecutorOptions options;
  options.replay_after = kBefore;
  Executor executor(graph, plan, *backend, solo, options);
  for (std::int64_t step = 1; step < kSteps; ++step) executor.step(step);
  emulated::stops() = {};
  EXPECT_TRUE(executor.step(kSteps).replayed);
  EXPECT_EQ(emulated::stops().waits, 2);
  EXPECT_EQ(emulated::stops().pageable_copies, 0);
  EXPECT_EQ(emulated::stops().allocations, 0);
}

/// What making an executor that replays says.
std::string refusal_of(std::string_view precision, ExecutorOptions options) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "serial", 4, precision);
  Solo solo;
  const auto backend = emulated_gpu_backend(precision);
  options.replay_after = kBefore;
  try {
    const Executor executor(graph, plan, *backend, solo, options);
  } catch (const Defect& defect) {
    return defect.what();
  }
  return "none";
}

TEST(ReplayedSteps, AreRefusedWhereTheHostHasAPart) {
  const auto refused = testing::HasSubstr("where the host has no part in it");
  const Dataset samples(plain_network(), 1);
  ExecutorOptions noisy, given;
  noisy.noise = 1e-3;
  given.samples = &samples;
  EXPECT_EQ(refusal_of("fp32", {}), "none");
  EXPECT_THAT(refusal_of("fp16", {}), refused);
  EXPECT_THAT(refusal_of("fp32", noisy), refused);
  EXPECT_THAT(refusal_of("fp32", given), refused);
}

TEST(ReplayedSteps, OfSeveralRanksAreRefused) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "data:2", 4);
  const auto refused = [&](Communicator& communicator) {
    const auto backend = emulated_gpu_backend();
    ExecutorOptions options;
    options.replay_after = kBefore;
    EXPECT_THROW(Executor(graph, plan, *backend, communicator, options), Defect);
  };
  run_ranks(2, refused);
}

TEST(ReplayedSteps, OfAProcessorAreNotRecorded) {
  const Graph graph = plain_network();
  const Plan plan = plan_of(graph, "serial", 4);
  Solo solo;
  const auto backend = make_cpu_backend(1);
  ExecutorOptions options;
  options.replay_after = 1;
  Executor executor(graph, plan, *backend, solo, options);
  executor.step(1);
  executor.step(2);
  EXPECT_THROW(executor.step(3), Defect);
}

class StepReplayTest : public testing::Test {
 protected:
  /// Takes memory of the device that no one had before, for a moment.
  void take() { backend_->tensor({1, 1, 1, 1, size_ *= 4}); }

  std::unique_ptr<Backend> backend_ = emulated_gpu_backend();
  StepReplay replay_{*backend_, 2};
  std::int64_t size_ = 1000;
};

TEST_F(StepReplayTest, WaitsForAStepThatTakesNoMemory) {
  for (int step = 1; step <= 3; ++step) {
    EXPECT_FALSE(replay_.begin_step());
    take();
  }
  EXPECT_FALSE(replay_.begin_step());
  EXPECT_TRUE(replay_.begin_step());
}

TEST_F(StepReplayTest, WaitsForAsManyStepsAsWereAsked) {
  EXPECT_FALSE(replay_.begin_step());
  EXPECT_FALSE(replay_.begin_step());
  EXPECT_TRUE(replay_.begin_step());
}

/// Else the recorded step would find less than the one before it did.
TEST_F(StepReplayTest, WaitsWhileSomebodyKeepsMoreThanBefore) {
  take();
  replay_.begin_step();
  replay_.begin_step();
  const auto held = backend_->tensor({1, 1, 1, 1, size_});
  EXPECT_FALSE(replay_.begin_step());
  EXPECT_TRUE(replay_.begin_step());
}

TEST_F(StepReplayTest, WhatCannotBeRecordedIsSaid) {
  try {
    replay_.record([&] { backend_->synchronize(); });
    FAIL() << "recorded";
  } catch (const EnvironmentError& error) {
    EXPECT_STREQ(error.what(),
                 "a step cannot be recorded here (cudaStreamSynchronize failed: operation not "
                 "permitted when stream is capturing); train without --graph");
  }
  EXPECT_FALSE(replay_.replays());
}

}  // namespace replay_emulated_gpu_test
}  // namespace oracle
