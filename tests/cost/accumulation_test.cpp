#include "oracle/cost/accumulation.h"

#include <gtest/gtest.h>

#include "oracle/cost/plan_pricer.h"
#include "tests/cost/samples.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace accumulation_test {

const Training kFp32 = training_of("fp32");

/// A layer, and what it works on.
struct Sample {
  Layer layer;
  Piece piece;
};

Sample sample_of(Layer layer) {
  Piece piece = whole(layer, 8);
  return {std::move(layer), piece};
}

KernelDemand demand_of(const Sample& sample, DeviceClass device_class) {
  return accumulation_demand(sample.layer, sample.piece, kFp32, device_class);
}

Cluster processor_of(Bytes cache) {
  Cluster cluster = flat_cluster();
  cluster.device.device_class = DeviceClass::cpu;
  cluster.device.cache = cache;
  return cluster;
}

double share_of(const Sample& sample, std::int64_t micro_batches, Bytes cache,
                std::int64_t ranks = 1, Pass pass = Pass::backward_weights) {
  Plan plan;
  plan.training = kFp32;
  plan.strategy.micro_batches = micro_batches;
  Cluster cluster = processor_of(cache);
  cluster.ranks_per_device = ranks;
  return accumulation_share(plan, sample.piece, pass, cluster);
}

/// Weights' gradients of all micro-batches of a step, by the sum of what each is priced at.
Seconds backward_weights(const Graph& graph, const Cluster& cluster, const Profile& profile,
                         std::int64_t micro_batches) {
  Plan plan = plan_of(graph, "serial", 4);
  plan.strategy.micro_batches = micro_batches;
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  pricer.price_passes(plan, prices);
  Seconds sum;
  for (std::uint32_t i = 0; i < plan.stages[0].backward_end.items; ++i) {
    const auto* work = std::get_if<Work>(&plan.stages[0].items[i].what);
    if (work == nullptr || work->pass != Pass::backward_weights) continue;
    EXPECT_EQ(prices.stages[0].items[i],
              price_work(graph, plan, plan.stages[0], *work, cluster, profile));
    sum += prices.stages[0].items[i].time * static_cast<double>(micro_batches);
  }
  return sum;
}

TEST(Accumulation, WorkedNumber) {
  const Sample sample = sample_of(convolution(64, 64, 56, 56, 3));
  ASSERT_EQ(sample.piece.weights, 36864);
  const KernelDemand sum = demand_of(sample, DeviceClass::gpu);
  EXPECT_DOUBLE_EQ(sum.traffic.value, 442368);
  EXPECT_EQ(sum.kernels, 1);
  EXPECT_DOUBLE_EQ(share_of(sample, 4, Bytes{0}), 0.75);
}

TEST(Accumulation, AThirdIsLeftWhereScratchIsATwentiethOfTheCache) {
  const Sample sample = sample_of(convolution(64, 64, 56, 56, 3));
  const Bytes enough{20 * 4 * 36864};
  EXPECT_DOUBLE_EQ(share_of(sample, 4, enough), 0.25);
  EXPECT_DOUBLE_EQ(share_of(sample, 4, enough - Bytes{20}), 0.75);
  EXPECT_DOUBLE_EQ(share_of(sample, 4, enough, 2), 0.75);
}

TEST(Accumulation, NothingIsAddedUpElsewhere) {
  const Sample sample = sample_of(convolution(64, 64, 56, 56, 3));
  EXPECT_EQ(share_of(sample, 1, Bytes{0}), 0);
  EXPECT_EQ(share_of(sample, 4, Bytes{0}, 1, Pass::backward_data), 0);
}

TEST(Accumulation, AProductOfAGpuAddsAsItWrites) {
  const Graph graph = dense_chain({64, 24});
  const Sample sample = sample_of(graph[1]);
  const KernelDemand there = demand_of(sample, DeviceClass::gpu);
  const KernelDemand here = demand_of(sample, DeviceClass::cpu);
  EXPECT_EQ(there.kernels, 0);
  EXPECT_EQ(here.kernels, 1);
  EXPECT_DOUBLE_EQ(there.traffic.value * 3, here.traffic.value);
}

TEST(Accumulation, RowsOfATableAreAddedAnyway) {
  Sample sample = sample_of(convolution(64, 64, 56, 56, 3));
  sample.layer.looks_up = true;
  const KernelDemand sum = demand_of(sample, DeviceClass::cpu);
  EXPECT_EQ(sum.kernels, 0);
  EXPECT_EQ(sum.traffic.value, 0);
}

TEST(Accumulation, AStepBearsASumForEachMicroBatchButTheFirst) {
  const Graph graph = dense_chain({64, 24}, true);
  Cluster cluster = processor_of(Bytes{0});
  const Sample sample = sample_of(graph[1]);
  const Seconds one = roofline(demand_of(sample, DeviceClass::cpu), DataType::fp32, cluster).time;
  const Seconds plain = backward_weights(graph, cluster, {}, 1);
  EXPECT_NEAR((backward_weights(graph, cluster, {}, 4) - plain * 4).value, 3 * one.value, 1e-15);
  cluster.device.cache = Bytes{1e6};
  EXPECT_NEAR((backward_weights(graph, cluster, {}, 4) - plain * 4).value, one.value, 1e-15);
}

TEST(Accumulation, TakesAsLongAsAMeasuredSumOfGradients) {
  const Graph graph = dense_chain({64, 24}, true);
  const Sample sample = sample_of(graph[1]);
  Profile profile;
  profile.kernels.push_back({accumulation_key(sample.layer, sample.piece, kFp32),
                             {Seconds{5e-3}, Source::measured, 0.1}});
  const Cluster cluster = processor_of(Bytes{0});
  const Seconds plain = backward_weights(graph, cluster, profile, 1);
  EXPECT_NEAR((backward_weights(graph, cluster, profile, 2) - plain * 2).value, 5e-3, 1e-15);
}

TEST(Accumulation, ErrsWithItsPassAndForItself) {
  const Cost pass{Seconds{3e-3}, Source::interpolated, 0.1, 2};
  const Cost sum{Seconds{8e-3}, Source::interpolated, 0.1, 5};
  const Cost both = with_accumulation(pass, sum, 0.5);
  EXPECT_NEAR(both.time.value, 7e-3, 1e-15);
  EXPECT_EQ(both.fit, 2);
  EXPECT_NEAR(both.uncertainty, 0.5 / 7, 1e-12);
}

/// Bytes of a weight: 2 as made, 4 of the sum read and 4 written; of a product 2 are not written.
TEST(Accumulation, OfMainGradientsIsInTheirFormat) {
  Training main = training_of("bf16");
  main.state.gradients = 4;
  main.run_by({});
  const Sample dense = sample_of(dense_chain({64, 32})[1]);
  const auto bytes = [&](DeviceClass device_class) {
    return accumulation_demand(dense.layer, dense.piece, main, device_class).traffic.value /
           (64 * 32);
  };
  EXPECT_EQ(bytes(DeviceClass::cpu), 10);
  EXPECT_EQ(bytes(DeviceClass::gpu), 6);
  Plan plan;
  plan.training = main;
  plan.strategy.micro_batches = 1;
  const Cluster cluster = processor_of(Bytes{});
  EXPECT_EQ(accumulation_share(plan, dense.piece, Pass::backward_weights, cluster), 1);
  EXPECT_EQ(accumulation_share(plan, dense.piece, Pass::backward_data, cluster), 0);
}

}  // namespace accumulation_test
}  // namespace oracle
