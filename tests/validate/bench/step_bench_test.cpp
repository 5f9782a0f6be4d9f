#include "validate/bench/step_bench.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/networks.h"

namespace oracle {
namespace step_bench_test {

StepBenchRequest asked(Graph graph) {
  StepBenchRequest request;
  request.graph = std::move(graph);
  request.batch = 2;
  request.rounds = request.repeats = 1;
  return request;
}

TEST(StepBench, CountsThePassesThatRun) {
  const StepBenchRequest request = asked(plain_network());
  const StepBench bench = measure_step(request, nullptr);
  double flops = 0;
  std::size_t passes = 0;
  for (const Layer& layer : request.graph.layers) {
    if (layer.reduction == 0) continue;
    flops += 2 * (layer.flops(Pass::forward) + layer.flops(Pass::backward_weights));
    passes += 2;
    if (layer.inputs[0] == 0) continue;
    flops += 2 * layer.flops(Pass::backward_data);
    ++passes;
  }
  EXPECT_EQ(bench.contractions.size(), passes);
  EXPECT_DOUBLE_EQ(bench.flops, flops);
  EXPECT_GT(bench.alone_seconds, 0);
  EXPECT_GT(bench.contraction_seconds, 0);
  EXPECT_FALSE(bench.kinds.empty());
}

TEST(StepBench, RefusesTransposedConvolutions) {
  EXPECT_THROW(measure_step(asked(volume_network()), nullptr), InputError);
}

}  // namespace step_bench_test
}  // namespace oracle
