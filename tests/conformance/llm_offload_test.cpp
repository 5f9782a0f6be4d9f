// What offload keeps on a device and sends over the link to its host, against closed forms of
// ZeRO-Offload (Ren et al., USENIX ATC 2021) and ZeRO-Infinity (Rajbhandari et al., 2104.07857).

#include <gtest/gtest.h>
#include <map>

#include "oracle/cost/host_link.h"
#include "oracle/cost/price.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/footprint.h"
#include "tests/conformance/llm_rows.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace llm_offload_test {

using llm::copied;

/// 12 blocks of 768 features: GPT-2.
const Graph& gpt() {
  static const Graph graph = load_model("gpt2");
  return graph;
}

double parameters() {
  double sum = 0;
  for (const Layer& layer : gpt().layers) sum += static_cast<double>(layer.parameters());
  return sum;
}

Training adam_in_fp16(std::int64_t batch) { return training_of(batch, "fp16", "adam"); }

Footprint memory(const char* strategy, std::int64_t batch) {
  Cluster cluster = flat_cluster();
  cluster.device.peak.fill(FlopRate{10e12});
  return footprint(gpt(), plan_of(gpt(), strategy, adam_in_fp16(batch)), cluster);
}

double state(const Footprint& memory) {
  return (memory.of(MemoryUse::weights) + memory.of(MemoryUse::gradients) +
          memory.of(MemoryUse::optimizer))
      .value;
}

/// Table 1: 16M bytes of M parameters are 2M of weights, 2M of gradients and 12M of state, of which
/// the last 14M are on the host. Gradients leave the device as soon as they are made; here it has
/// them as well, and sums them over micro-batches.
TEST(ZeroOffload, KeepsTheStateOfTheOptimizerOnTheHost) {
  const double m = parameters();
  EXPECT_EQ(state(memory("serial", 1)), 16 * m);
  const Footprint offloaded = memory("serial; offload=optimizer", 1);
  EXPECT_EQ(state(offloaded), 4 * m);
  EXPECT_EQ(offloaded.on_host, Bytes{14 * m});
  const Footprint sharded = memory("data:4; zero=2; offload=optimizer", 4);
  EXPECT_NEAR(state(sharded), 2 * m + 2 * m / 4, 1e-4 * m);
  EXPECT_NEAR(sharded.on_host.value, 14 * m / 4, 1e-4 * m);
}

/// Section 3: 4M in all are the least that a strategy which offloads can send: gradients of 2M and
/// weights of 2M; of N ranks a shard each (section 4.2).
TEST(ZeroOffload, SendsGradientsDownAndWeightsUp) {
  const double m = parameters();
  for (const double ranks : {1.0, 4.0}) {
    const Plan plan = plan_of(
        gpt(), ranks == 1 ? "serial; offload=optimizer" : "data:4; zero=2; offload=optimizer",
        adam_in_fp16(4));
    EXPECT_NEAR(copied(plan, Collective::to_host), 2 * m / ranks, 1e-4 * m);
    EXPECT_NEAR(copied(plan, Collective::from_host), 2 * m / ranks, 1e-4 * m);
  }
}

/// Section 4.1, with gradients in fp32: the master copy and both moments are read and written, the
/// gradient is read, the weight in 16 bits written: 3·8 + 4 + 2.
TEST(ZeroOffload, AnUpdateTouchesThirtyBytesOfAParameter) {
  Cluster cluster = flat_cluster();
  cluster.host.memory_bandwidth = Bandwidth{1e9 / 0.46};
  Training training = training_of(1, "bf16", "adam");
  training.precision.gradient_bytes = 4;
  const Plan plan = plan_of(gpt(), "serial; offload=optimizer", training);
  EXPECT_DOUBLE_EQ(price_update(plan, plan.stages[0], cluster, {}).time.value * 1e9,
                   30 * parameters());
}

/// Table 4, on a DGX-2, whose hosts have 12 channels of DDR4-2666. What an update reaches of them
/// is that of the last row; the others judge it.
TEST(ZeroOffload, CpuAdamTakesWhatWasMeasured) {
  Cluster cluster = flat_cluster();
  cluster.host.memory_bandwidth = Bandwidth{12 * 8 * 2.666e9};
  const std::map<double, double> seconds = {
      {1e9, 0.22}, {2e9, 0.51}, {4e9, 1.03}, {8e9, 2.41}, {10e9, 2.57}};
  for (const auto& [parameters, measured] : seconds) {
    const double priced = host_update(cluster, 1, Bytes{30 * parameters}).time.value;
    EXPECT_NEAR(priced / measured, 1, parameters == 10e9 ? 0.01 : 0.2) << parameters;
  }
}

/// ZeRO-Infinity, equation 11: with checkpoints of each block a step computes 8·T·12·h² operations
/// a block and moves 4·T·h bytes, so that 24·h operations come to a byte.
TEST(ZeroInfinity, IntensityOfCheckpointsIsThatOfEquation11) {
  constexpr double kHidden = 768, kTokens = 1024, kBlocks = 12;
  const Plan plan = plan_of(gpt(), "serial; recompute=full; offload=activations", adam_in_fp16(1));
  const double moved = copied(plan, Collective::to_host) + copied(plan, Collective::from_host);
  // The input of each block, of the norm behind them and of the head.
  EXPECT_NEAR(moved, 4 * kTokens * kHidden * (kBlocks + 2), 1e-3 * moved);
  double computed = 0;
  for (LayerId id = 1; id < gpt().size(); ++id) {
    const Layer& layer = gpt()[id];
    if (gpt().block(id) == 0 || layer.reduction == 0 || layer.weights.empty()) continue;
    // Products of forward, of both gradients, and of forward again.
    computed += 4 * 2 * layer.multiply_adds();
  }
  EXPECT_EQ(computed, 8 * kTokens * 12 * kHidden * kHidden * kBlocks);
  EXPECT_EQ(computed / (4 * kTokens * kHidden * kBlocks), 24 * kHidden);
}

/// Equation 6: efficiency = ait·bw / (ait·bw + peak) where nothing overlaps, so that a step is no
/// longer than both together, and no shorter than the longer of the two.
TEST(ZeroInfinity, StepsLieBetweenCopiesBesideComputingAndBehindIt) {
  Cluster cluster = flat_cluster();
  cluster.device.peak.fill(FlopRate{10e12});
  cluster.device.memory = Bytes{1e12};
  const auto step = [&](const char* strategy, double link) {
    cluster.host.link = Bandwidth{link};
    cluster.host.latency = {};
    return evaluate(gpt(), cluster, {}, parse_strategy(strategy), adam_in_fp16(4))
        .fits()
        ->step.time.value;
  };
  const double moved = 4 * 4 * 1024.0 * 768 * 14;
  const double computed = step("serial; recompute=full", 1e9);
  for (const double link : {1e8, 1e9, 1e10, 1e11}) {
    const double copied = moved / link;
    const double taken = step("serial; recompute=full; offload=activations", link);
    EXPECT_LE(taken, (computed + copied) * (1 + 1e-9)) << link;
    EXPECT_GE(taken, std::max(computed, copied) * (1 - 1e-9)) << link;
  }
  const double fast = step("serial; recompute=full; offload=activations", 1e13);
  EXPECT_NEAR(fast, computed, 1e-3 * computed);
}

}  // namespace llm_offload_test
}  // namespace oracle
