#include "oracle/cost/host_queue.h"

#include <gtest/gtest.h>

#include "oracle/cost/price.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace host_queue_test {

TEST(HostQueue, WorkedNumbers) {
  HostQueue ahead(Seconds{80e-6});
  EXPECT_NEAR(ahead.run(1, Seconds{200e-6}).value, 280e-6, 1e-12);
  EXPECT_NEAR(ahead.run(1, Seconds{10e-6}).value, 10e-6, 1e-12);
  EXPECT_NEAR(ahead.run(1, Seconds{10e-6}).value, 10e-6, 1e-12);
  HostQueue behind(Seconds{80e-6});
  EXPECT_NEAR(behind.run(1, Seconds{10e-6}).value, 90e-6, 1e-12);
  EXPECT_NEAR(behind.run(1, Seconds{10e-6}).value, 80e-6, 1e-12);
  EXPECT_NEAR(behind.run(0, Seconds{}).value, 0, 1e-12) << "nothing is launched";
}

/// Messages of tensor parallelism are time for the host, of which it takes less from the passes.
TEST(HostQueue, MessagesBetweenPassesHideTheHost) {
  const Graph graph = load_model("gpt_tiny");
  const Cluster cluster = load_cluster("dgx-a100");
  const auto computing = [&](const char* strategy, Seconds host) {
    Training training{8, precision_named("bf16"), optimizer_named("sgd")};
    training.framework.host_per_kernel = host;
    const Evaluation evaluation = evaluate(graph, cluster, {}, parse_strategy(strategy), training);
    const Breakdown& breakdown = evaluation.fits()->timeline.breakdown;
    return (breakdown.forward + breakdown.backward).value;
  };
  const Seconds host{20e-6};
  EXPECT_LT(computing("tensor:2", host) - computing("tensor:2", {}),
            computing("serial", host) - computing("serial", {}));
}

Seconds step(std::int64_t batch, Seconds host) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("dgx-a100");
  Training training{batch, precision_named("bf16"), optimizer_named("sgd")};
  training.framework.host_per_kernel = host;
  const Evaluation evaluation =
      evaluate(graph, cluster, {}, parse_strategy("serial; fusion=off"), training);
  return evaluation.fits()->step.time;
}

TEST(HostQueue, AStepIsNoShorterThanItsLaunches) {
  // Launches of its passes, gradients' sums among them.
  EXPECT_GT(step(4, Seconds{80e-6}).value, 407 * 80e-6);
  EXPECT_LT(step(4, Seconds{80e-6}).value, 407 * 80e-6 + step(4, {}).value);
  EXPECT_LT(step(4, {}).value, 0.5 * 407 * 80e-6);
}

TEST(HostQueue, LongKernelsHideTheHost) {
  const Seconds alone = step(512, {});
  EXPECT_LT(step(512, Seconds{80e-6}).value, 1.02 * alone.value);
  EXPECT_GT(step(512, Seconds{80e-6}).value, alone.value);
}

}  // namespace host_queue_test
}  // namespace oracle
