// A run that goes on from a checkpoint is the run that was never stopped.

#include "validate/checkpoint/collect.h"

#include <cmath>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "tests/validate/checkpoint/file_bytes.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"
#include "validate/checkpoint/folder.h"
#include "validate/command/ranks.h"

namespace oracle {
namespace collect_test {

constexpr std::int64_t kSteps = 6, kKept = 3;

RunOptions with(std::string_view optimizer) {
  RunOptions options;
  options.backend = [] { return make_cpu_backend(1); };
  options.optimizer = optimizer;
  options.rate = 0.005;
  options.steps = kSteps;
  options.batch = 8;
  return options;
}

/// Losses of all steps where the first kKept run by `from` and the others by `to`.
std::vector<double> stopped_between(const Graph& graph, std::string_view from, std::string_view to,
                                    RunOptions options) {
  const TemporaryFolder folder;
  options.steps = kKept;
  options.checkpoints = CheckpointRequest{folder.path(), 0, false};
  std::vector<double> losses = run_alone(graph, from, options).losses;
  options.steps = kSteps;
  options.checkpoints.reset();
  const FoundCheckpoint found = newest_checkpoint(folder.path());
  options.resumed = &found.file;
  const std::vector<double> others = run_alone(graph, to, options).losses;
  losses.insert(losses.end(), others.begin(), others.end());
  return losses;
}

using OnStrategies = testing::TestWithParam<const char*>;

class ResumedRun : public OnStrategies {};
TEST_P(ResumedRun, IsBitEqualOnTheSameStrategy) {
  for (const char* optimizer : {"sgd", "momentum", "adam"}) {
    const RunOptions options = with(optimizer);
    const Graph graph = uneven_network();
    const std::vector<double> whole = run_alone(graph, GetParam(), options).losses;
    EXPECT_EQ(stopped_between(graph, GetParam(), GetParam(), options), whole)
        << GetParam() << " " << optimizer;
  }
}

TEST_P(ResumedRun, GoesOnByAnotherStrategy) {
  for (const char* other : {"serial", "data:3; zero=3"}) {
    const RunOptions options = with("adam");
    const Graph graph = uneven_network();
    const std::vector<double> whole = run_alone(graph, GetParam(), options).losses;
    const std::vector<double> stopped = stopped_between(graph, GetParam(), other, options);
    ASSERT_EQ(stopped.size(), whole.size());
    for (std::size_t s = 0; s < whole.size(); ++s) {
      EXPECT_NEAR(stopped[s], whole[s], 1e-5 * std::abs(whole[s]))
          << GetParam() << " to " << other << ", step " << s + 1;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Checkpoint, ResumedRun,
                         testing::Values("serial", "data:4", "data:3; bucket=100 B",
                                         "data:4; zero=1", "data:3; zero=2", "data:4; zero=3",
                                         "data:2,filter:2", "filter:3",
                                         "conv*=data:2; fc*=filter:2", "height:2", "channel:2",
                                         "data:2,pipeline:2; micro_batches=2",
                                         "data:4; zero=2; shard=2", "data:2; micro_batches=4"));

TEST(ResumedRun, HasTheDropoutAndExpertsOfTheWhole) {
  for (const char* file : {"residual", "moe", "transformer"}) {
    const Graph graph = network_of_file(file);
    for (const char* strategy : {"data:2", "data:4; zero=2"}) {
      const RunOptions options = with("adam");
      EXPECT_EQ(stopped_between(graph, strategy, strategy, options),
                run_alone(graph, strategy, options).losses)
          << file << " " << strategy;
    }
  }
}

TEST(ResumedRun, LosesItsPlaceWithoutMoments) {
  // The same with weights alone in the checkpoint would not be equal: the test can fail.
  const RunOptions options = with("momentum");
  const Graph graph = uneven_network();
  const TemporaryFolder folder;
  RunOptions first = options;
  first.steps = kKept;
  first.checkpoints = CheckpointRequest{folder.path(), 0, false};
  run_alone(graph, "data:2", first);
  const FoundCheckpoint found = newest_checkpoint(folder.path());
  Checkpoint lame;
  lame.head = found.file.head();
  for (const TensorEntry& entry : found.file.tensors()) {
    std::vector<float> values = found.file.read(entry.name);
    if (entry.name.ends_with("first_moment")) values.assign(values.size(), 0);
    lame.tensors.push_back({entry, std::move(values)});
  }
  write_checkpoint(folder.path() / "lame", lame);
  const CheckpointFile file(folder.path() / "lame");
  RunOptions second = options;
  second.resumed = &file;
  const std::vector<double> whole = run_alone(graph, "data:2", options).losses;
  EXPECT_NE(run_alone(graph, "data:2", second).losses.back(), whole.back());
}

TEST(Checkpoints, AreTheSameBytesInEveryRun) {
  const TemporaryFolder folder;
  for (const char* name : {"a", "b"}) {
    RunOptions options = with("adam");
    options.checkpoints = CheckpointRequest{folder.path() / name, 0, name == std::string("b")};
    run_alone(uneven_network(), "data:4; zero=1", options);
  }
  const std::string file = checkpoint_name(kSteps);
  const std::string bytes = bytes_of_file(folder.path() / "a" / file);
  EXPECT_FALSE(bytes.empty());
  EXPECT_EQ(bytes_of_file(folder.path() / "b" / file), bytes);
}

TEST(Checkpoints, HoldWhatTheFootprintCounts) {
  const TemporaryFolder folder;
  RunOptions options = with("adam");
  options.checkpoints = CheckpointRequest{folder.path(), 2, false};
  const Graph graph = uneven_network();
  const Outcome outcome = run_alone(graph, "data:2", options);
  EXPECT_EQ(outcome.checkpoints.bytes, 3 * 4 * graph.parameters());
  EXPECT_EQ(outcome.checkpoints.waited.size(), 3U);
  EXPECT_EQ(outcome.checkpoints.written.size(), 3U);
  EXPECT_EQ(checkpoints_in(folder.path()), (std::vector<std::int64_t>{4, 6}));
  // In shapes that others know: filters, channels, window.
  const CheckpointFile file(folder.path() / checkpoint_name(6));
  const TensorEntry* conv = file.find("conv1.weight");
  ASSERT_NE(conv, nullptr);
  const Layer& layer = graph[1];
  EXPECT_EQ(conv->shape,
            (std::vector<std::int64_t>{layer.output.channels(), layer.input.channels(), 3, 3}));
  EXPECT_NE(file.find("conv1.weight.second_moment"), nullptr);
}

TEST(Checkpoints, OfAnotherNetworkAreRefused) {
  const TemporaryFolder folder;
  RunOptions options = with("momentum");
  options.checkpoints = CheckpointRequest{folder.path(), 0, false};
  run_alone(uneven_network(), "serial", options);
  const FoundCheckpoint found = newest_checkpoint(folder.path());
  const auto step = [](const char* name) { return optimizer_step(optimizer_named(name), 0.1); };
  EXPECT_NO_THROW(require_state_of(found.file, uneven_network(), step("momentum")));
  EXPECT_THROW(require_state_of(found.file, uneven_network(), step("adam")), InputError);
  EXPECT_THROW(require_state_of(found.file, uneven_network(), step("sgd")), InputError);
  EXPECT_THROW(require_state_of(found.file, plain_network(), step("momentum")), InputError);
}

}  // namespace collect_test
}  // namespace oracle
