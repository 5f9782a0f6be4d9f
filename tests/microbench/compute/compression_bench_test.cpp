#include "microbench/compute/compression_bench.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "microbench/kernels/cpu/cpu_backend.h"

namespace oracle {
namespace compression_bench_test {

std::vector<CompressionTimes> times_of(double seconds) {
  const std::unique_ptr<Backend> backend = make_cpu_backend(1);
  CompressionPlan plan;
  plan.sizes = {{1 << 12, 2}, {1 << 14, 4}};
  plan.seconds = seconds;
  CompressionBench bench(*backend, plan);
  bench.run_up_to(1);
  return bench.take();
}

TEST(CompressionBench, TimesEachStepOfEachExchange) {
  const std::vector<CompressionTimes> all = times_of(10);
  std::set<std::string> steps;
  for (const CompressionTimes& times : all) {
    steps.insert(times.exchange + " " + times.step);
    EXPECT_EQ(times.series.values().size(), 4U) << "two rounds of two";
    EXPECT_GT(times.series.median(), 0);
    EXPECT_EQ(times.type, "fp32");
  }
  // fp16 and bf16 have no reduce, nor has topk.
  EXPECT_EQ(steps.size(), 2U + 2U + 3U + 3U + 2U + 3U + 3U);
  const auto reduce = std::find_if(all.begin(), all.end(), [](const CompressionTimes& times) {
    return times.exchange == "int8" && times.step == "reduce" && times.inputs == 4;
  });
  ASSERT_NE(reduce, all.end());
  // 4096 codes and 8 scales of 4 bytes.
  EXPECT_EQ(reduce->input, 4096 / 4 + 8);
  EXPECT_EQ(reduce->output, reduce->input);
}

TEST(CompressionBench, LeavesOutWhatTakesTooLong) {
  const std::vector<CompressionTimes> all = times_of(0);
  EXPECT_TRUE(std::all_of(all.begin(), all.end(),
                          [](const CompressionTimes& times) { return times.input <= 1 << 12; }));
  EXPECT_FALSE(all.empty());
}

}  // namespace compression_bench_test
}  // namespace oracle
