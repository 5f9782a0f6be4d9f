#include "oracle/calibrate/kernel_table.h"

#include <gtest/gtest.h>

#include "oracle/cost/compute/kernel.h"
#include "oracle/plan/exchanges/compressed_bucket.h"

namespace oracle {
namespace calibrate_kernel_table_test {

KernelSample sample(const char* layer, Pass pass, double median, double low, double high) {
  KernelSample out;
  out.layer = parse_layer_case(layer);
  out.pass = pass;
  out.time = {Seconds{median}, Seconds{low}, Seconds{high}, 10};
  if (pass == Pass::update) out.optimizer = "adam";
  return out;
}

TEST(KernelTable, WorkedNumber) {
  const std::vector<KernelSample> samples = {
      sample("dense 8:64 features=100", Pass::forward, 100e-6, 99e-6, 104e-6)};
  const std::vector<KernelTime> table = kernel_table(samples);
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0].cost.time, Seconds{100e-6});
  EXPECT_EQ(table[0].cost.source, Source::measured);
  EXPECT_NEAR(table[0].cost.uncertainty, 0.0513, 0.0001);
}

TEST(KernelTable, AStepIsTheSumOfMeans) {
  KernelSample tailed = sample("dense 8:64 features=100", Pass::forward, 100e-6, 99e-6, 104e-6);
  tailed.time.mean = Seconds{102e-6};
  const Cost cost = kernel_table(std::vector{tailed})[0].cost;
  EXPECT_EQ(cost.time, Seconds{102e-6});
  EXPECT_NEAR(cost.uncertainty, 0.0513, 0.0001) << "of what was measured, about its median";
}

TEST(KernelTable, OfEqualKernelsTheLastCounts) {
  const std::vector<KernelSample> samples = {
      sample("dense 8:64 features=100", Pass::forward, 1, 1, 1),
      sample("dense 8:64 features=100 bias=false", Pass::forward, 2, 2, 2)};
  ASSERT_EQ(kernel_table(samples).size(), 1U);
  EXPECT_EQ(kernel_table(samples)[0].cost.time, Seconds{2});
}

TEST(KernelTable, KeysAreThoseByWhichTheEngineAsks) {
  const KernelKey key = key_of(sample("dense 1:64 features=100 bias=false", Pass::update, 1, 1, 1));
  Training training;
  training.optimizer = optimizer_named("adam");
  EXPECT_EQ(key, update_key(6400, training));
  EXPECT_EQ(key_of(sample("add 2:16x4x4+16x4x4", Pass::gradient_sum, 1, 1, 1)).kind,
            "gradient_sum");
}

TEST(KernelTable, KnowsWhatCompressesByWhatThePlanSaysOfIt) {
  const Transfer sum{Collective::all_reduce, 1, Bytes{4000}, Payload::weight_gradient, 3};
  const CompressedBucket bucket(chosen_exchange("int8"), sum, 4, 4);
  const auto& reduce = std::get<Compression>(bucket.steps()[2]);
  CompressionSample sample{"reduce", "int8", DataType::fp32, 4, 64, 64, {}};
  sample.time = {Seconds{2}, Seconds{2}, Seconds{2}, 10};
  const std::vector<KernelTime> table = kernel_table({}, std::vector{sample});
  ASSERT_EQ(table.size(), 1U);
  EXPECT_EQ(table[0].key, key_of(reduce, Training{}));
  EXPECT_EQ(table[0].cost.time, Seconds{2});
  EXPECT_EQ(table[0].cost.source, Source::measured);
}

TEST(KernelTable, IsSorted) {
  const std::vector<KernelSample> samples = {
      sample("dense 8:64 features=100", Pass::forward, 1, 1, 1),
      sample("add 2:16x4x4+16x4x4", Pass::forward, 1, 1, 1)};
  const std::vector<KernelTime> table = kernel_table(samples);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_LT(table[0].key, table[1].key);
}

}  // namespace calibrate_kernel_table_test
}  // namespace oracle
