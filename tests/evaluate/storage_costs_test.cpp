#include "oracle/evaluate/storage_costs.h"

#include <gtest/gtest.h>

#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace storage_costs_test {

/// One convolution on 3x224x224, so a sample has 150,528 bytes.
Graph images() {
  GraphBuilder builder("images");
  LayerId last = builder.input(shape_of(3, {224, 224}));
  last = builder.add("conv", "convolution", {last}, conv3x3(16));
  last = builder.add("flatten", "flatten", {last});
  last = builder.add("fc", "dense", {last}, {{"features", std::int64_t{10}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

constexpr double kSample = 3 * 224 * 224;

Profile rates() {
  Profile profile;
  profile.storage = {{.operation = StorageOperation::read_random, .rate = Bandwidth{100e6}},
                     {.operation = StorageOperation::decode, .rate = Bandwidth{50e6}},
                     {.operation = StorageOperation::checkpoint,
                      .latency = Seconds{0.5},
                      .rate = Bandwidth{200e6}}};
  return profile;
}

/// A step of so many seconds.
struct Case {
  Graph graph = images();
  Cluster cluster = flat_cluster();
  Profile profile = rates();
  Evaluation evaluation;

  Case(const std::string& strategy, std::int64_t batch, double step,
       const char* optimizer = "sgd") {
    evaluation = evaluate(graph, cluster, profile, parse_strategy(strategy),
                          training_of(batch, "fp32", optimizer), Detail::events);
    std::get<Fits>(evaluation.result).step = {Seconds{step}, Source::measured, 0};
  }
  std::optional<StorageCosts> costs(std::int64_t workers, std::int64_t every = 0) const {
    return storage_costs({graph, cluster, profile}, evaluation, {workers, every});
  }
};

TEST(StorageCosts, WorkedNumber) {
  const auto costs = Case("serial", 32, 0.1).costs(1);
  ASSERT_TRUE(costs && costs->input);
  EXPECT_EQ(costs->input->samples, 32);
  EXPECT_EQ(costs->input->sample, Bytes{kSample});
  EXPECT_NEAR(costs->input->storage.time.value, 32 * kSample / 100e6, 1e-12);
  EXPECT_NEAR(costs->input->storage.time.value, 0.0482, 5e-5);
  EXPECT_NEAR(costs->input->workers.time.value, 0.1445, 5e-5);
  EXPECT_NEAR(costs->input->exposed.time.value, 0.0445, 5e-5);
  EXPECT_TRUE(costs->input->limited_by_workers());
  EXPECT_NEAR(costs->step.time.value, 0.1445, 5e-5);
}

TEST(StorageCosts, EnoughWorkersLeaveTheStorage) {
  const Case fast("serial", 32, 0.01);
  const auto costs = fast.costs(8);
  EXPECT_FALSE(costs->input->limited_by_workers());
  EXPECT_NEAR(costs->input->exposed.time.value, 32 * kSample / 100e6 - 0.01, 1e-12);
  EXPECT_EQ(Case("serial", 32, 0.05).costs(8)->input->exposed.time.value, 0);
  double before = 1e9;
  for (const std::int64_t workers : {1, 2, 4, 8, 16}) {
    const double exposed = fast.costs(workers)->input->exposed.time.value;
    EXPECT_LE(exposed, before) << workers;
    before = exposed;
  }
}

TEST(StorageCosts, RanksOfAHostShareItsStorage) {
  Case four("data:4", 32, 0.01);
  EXPECT_EQ(four.costs(1)->input->samples, 8);
  EXPECT_NEAR(four.costs(1)->input->storage.time.value, 32 * kSample / 100e6, 1e-12);
  four.cluster.levels.front().units = 1;
  EXPECT_NEAR(four.costs(1)->input->storage.time.value, 8 * kSample / 100e6, 1e-12);
  // Of two stages, one reads.
  const Case stages("pipeline:2; micro_batches=4", 32, 0.01);
  EXPECT_NEAR(stages.costs(1)->input->storage.time.value, 32 * kSample / 100e6, 1e-12);
  // Both halves of an image are read whole.
  EXPECT_EQ(Case("height:2", 32, 0.01).costs(1)->input->samples, 32);
}

TEST(StorageCosts, WhatWasReadFromMemorySaysNothingOfTheStorage) {
  Case cached("serial", 32, 0.01);
  cached.profile.storage[0].cached = true;
  const auto costs = cached.costs(1);
  EXPECT_TRUE(costs->input->cached);
  EXPECT_EQ(costs->input->storage.time.value, 0);
  EXPECT_GT(costs->input->workers.time.value, 0);
  cached.profile.storage.push_back(rates().storage[0]);
  EXPECT_FALSE(cached.costs(1)->input->cached) << "the medium's rate counts first";
}

TEST(StorageCosts, TheRateOfSoManyWorkersCounts) {
  Case many("serial", 32, 0.01);
  many.profile.storage.push_back(
      {.operation = StorageOperation::decode, .workers = 4, .rate = Bandwidth{25e6}});
  const double each = kSample / 100e6 + kSample / 25e6;
  EXPECT_NEAR(many.costs(4)->input->workers.time.value, 32 * each / 4, 1e-12);
}

TEST(StorageCosts, ACheckpointHoldsWeightsAndState) {
  const Case adam("serial", 32, 1, "adam");
  const double parameters = 3 * 16 * 9 + 16 * 224 * 224 * 10;
  const auto costs = adam.costs(64, 10);
  ASSERT_TRUE(costs->checkpoint);
  EXPECT_EQ(costs->checkpoint->bytes, Bytes{parameters * 12});
  const double seconds = 0.5 + parameters * 12 / 200e6;
  EXPECT_NEAR(costs->checkpoint->time.time.value, seconds, 1e-12);
  EXPECT_NEAR(costs->step.time.value, 1 + seconds / 10, 1e-12);
  EXPECT_NEAR(adam.costs(64)->step.time.value, 1, 1e-12) << "none unless asked for";
}

TEST(StorageCosts, WhatWasNotMeasuredIsAbsent) {
  Case none("serial", 32, 1);
  none.profile.storage.pop_back();
  EXPECT_FALSE(none.costs(1)->checkpoint);
  none.profile.storage.pop_back();
  EXPECT_FALSE(none.costs(1)) << "reading alone is no input";
  none.profile.storage.clear();
  EXPECT_FALSE(none.costs(1));
}

}  // namespace storage_costs_test
}  // namespace oracle
