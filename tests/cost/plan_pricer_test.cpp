#include "oracle/cost/plan_pricer.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/uncertainty.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/plan/exchange.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace plan_pricer_test {

/// Every price beside the one of that item alone.
void expect_each_alone(const Graph& graph, const Plan& plan, const Prices& prices) {
  const Cluster cluster = flat_cluster();
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    const Stage& stage = plan.stages[s];
    ASSERT_EQ(prices.stages[s].items.size(), stage.items.size());
    for (std::size_t i = 0; i < stage.items.size(); ++i) {
      const Action& what = stage.items[i].what;
      const auto* work = std::get_if<Work>(&what);
      const auto* step = std::get_if<Compression>(&what);
      const Cost alone =
          work != nullptr ? price_work(graph, plan, stage, *work, cluster, {})
          : step != nullptr
              ? price_of(roofline_terms(compression_demand(*step), DataType::fp32, cluster),
                         kernel_uncertainty(plan, cluster))
              : price_transfer(plan, std::get<Transfer>(what), cluster, {}).cost;
      EXPECT_EQ(prices.stages[s].items[i], alone) << "stage " << s << " item " << i;
    }
    ASSERT_EQ(prices.stages[s].to_next.size(), stage.to_next.size());
    for (std::size_t i = 0; i < stage.to_next.size(); ++i) {
      EXPECT_EQ(prices.stages[s].to_next[i],
                price_transfer(plan, stage.to_next[i], cluster, {}).cost);
    }
  }
}

TEST(PlanPricer, PricesPlanAfterPlanAndVariantAfterVariant) {
  const Graph graph = dense_chain({64, 24, 64, 24, 48}, true);
  const Cluster cluster = flat_cluster();
  const Profile profile;
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  Buckets room(Bytes{});
  for (const char* cuts :
       {"data:2,pipeline:3", "data:4", "serial", "filter:4,data:4", "tensor:4"}) {
    Plan plan = plan_of(graph, cuts, 48);
    pricer.price_passes(plan, prices);
    for (const char* exchange : {"auto", "ring", "onebit", "tree"}) {
      for (const double bucket : {0.0, 8e3, 1e9}) {
        plan.strategy.exchange = exchange;
        plan.strategy.bucket = Bytes{bucket};
        for (Stage& stage : plan.stages) emit_exchange(plan.strategy, stage, room);
        pricer.price_exchange(prices);
        SCOPED_TRACE(std::string(cuts) + ' ' + exchange);
        expect_each_alone(graph, plan, prices);
      }
    }
  }
}

// 40 values of 4 bytes: 40·12 taken, 40·8 of what was not sent, two parts of 12 bytes.
TEST(PlanPricer, CompressionIsAStreamThatTheRankItselfCarriesOut) {
  const Graph graph = dense_chain({8, 4, 2});
  const Plan plan = plan_of(graph, "data:2; exchange=onebit", 8);
  const Cluster cluster = flat_cluster();
  const StagePrices prices = price(graph, plan, cluster, {}).stages[0];
  const std::uint32_t first = plan.stages[0].backward_end.items;
  const auto& compress = std::get<Compression>(plan.stages[0].items[first].what);
  EXPECT_EQ(compress.touched, Bytes{40 * 12 + 40 * 8 + 2 * 12});
  EXPECT_EQ(prices.copied[first], prices.items[first].time);
  EXPECT_GT(prices.items[first].time, Seconds{});
  EXPECT_EQ(prices.copied[first + 1], Seconds{}) << "what is sent is dense already";
}

TEST(PlanPricer, PricesLayersThatAreAlikeAsEachAlone) {
  const Cluster cluster = flat_cluster();
  const Profile profile;
  for (const char* model : {"gpt2", "t5_large"}) {
    const Graph graph = load_model(model);
    PlanPricer pricer(graph, cluster, profile);
    for (const char* cuts : {"tensor:4", "data:2,pipeline:3; micro_batches=2"}) {
      const Plan plan = plan_of(graph, cuts, 8);
      const std::vector<LayerId>& likes = plan.assignment.like;
      ASSERT_NE(std::adjacent_find(likes.begin(), likes.end(), std::greater<>()), likes.end());
      Prices prices;
      pricer.price_passes(plan, prices);
      pricer.price_exchange(prices);
      SCOPED_TRACE(std::string(model) + ' ' + cuts);
      expect_each_alone(graph, plan, prices);
    }
  }
}

/// The sum behind it is no part of its kernel, as those of blocks that are alike are.
TEST(PlanPricer, AStageMayBeginBehindABatchNorm) {
  const Graph graph = load_model("resnet50");
  Cluster cluster = flat_cluster();
  cluster.device.fusions.fill(true);
  Training training = training_of(8);
  training.framework.half_fuses_sums = true;
  const Strategy strategy = parse_strategy("pipeline:2; micro_batches=2; stages=layer3.4.add");
  const Plan plan = std::get<Plan>(partition(graph, strategy, training, cluster));
  const LayerId first = plan.stages[1].first;
  ASSERT_EQ(graph[first].name, "layer3.4.add");
  ASSERT_FALSE(plan.pieces[first].in_norm);
  ASSERT_TRUE(plan.pieces[plan.assignment.like[first]].in_norm);
  const Profile profile;
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  pricer.price_passes(plan, prices);
  pricer.price_exchange(prices);
  expect_each_alone(graph, plan, prices);
}

TEST(PlanPricer, SumsWhatBoundsTheKernels) {
  const Graph graph = dense_chain({64, 24, 64});
  const Cluster cluster = flat_cluster();
  const Profile profile;
  const Plan plan = plan_of(graph, "data:2", 32);
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  pricer.price_passes(plan, prices);
  Seconds passes;
  for (std::uint32_t i = 0; i < plan.stages[0].backward_end.items; ++i) {
    passes += prices.stages[0].items[i].time;
  }
  ASSERT_EQ(pricer.bounds().size(), 1U);
  const ComputeBounds& bounds = pricer.bounds()[0];
  EXPECT_NEAR((bounds.arithmetic + bounds.traffic + bounds.launches).value, passes.value, 1e-15);
  // Two dense layers and a loss: forward and backward of each, one weight gradient of each layer.
  EXPECT_NEAR(bounds.launches.value, (5 * 4.0 / 3 + 2 * 2.0 / 3) * 1e-6, 1e-15);
}

/// Backward of the layer "sum", whose copy was measured to take a millisecond.
Seconds backward_of_sum(const Graph& graph) {
  const Cluster cluster = flat_cluster();
  const Plan plan = plan_of(graph, "serial", 4);
  const Stage& stage = plan.stages[0];
  const Work work{id_of(graph, "sum"), Pass::backward_data};
  Profile profile;
  profile.kernels = {{key_of(graph[work.layer], plan.pieces[work.layer], work.pass, plan.training),
                      {Seconds{1e-3}, Source::measured, 0.02}}};
  const Cost alone = price_work(graph, plan, stage, work, cluster, profile);
  const Prices prices = price(graph, plan, cluster, profile);
  for (std::size_t i = 0; i < stage.items.size(); ++i) {
    const auto* item = std::get_if<Work>(&stage.items[i].what);
    if (item == nullptr || item->layer != work.layer || item->pass != work.pass) continue;
    EXPECT_EQ(prices.stages[0].items[i], alone);
  }
  return alone.time;
}

TEST(PlanPricer, CopiesNoGradientThatTwoInputsMayShare) {
  EXPECT_EQ(backward_of_sum(residual_block("batch_norm")).value, 0);
  EXPECT_EQ(backward_of_sum(residual_block("activation")).value, 1e-3)
      << "the activation would overwrite it";
}

/// A chain of dense layers by data on a processor of two cores; each of its passes, but for the
/// loss's, was measured to take 1 ms.
struct TwoRanks {
  Graph graph = dense_chain({64, 24, 64});
  Plan plan = plan_of(graph, "data:2", 32);
  Cluster cluster = flat_cluster();
  Profile profile;

  TwoRanks() {
    cluster.device.device_class = DeviceClass::cpu;
    cluster.device.multiprocessors = 2;
    cluster.ranks_per_device = 2;
    for (const Item& item : plan.stages[0].items) {
      const auto* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->layer == kAllLayers || work->layer + 1 == graph.size()) continue;
      const KernelKey key =
          key_of(graph[work->layer], plan.pieces[work->layer], work->pass, plan.training);
      profile.kernels.push_back({key, {Seconds{1e-3}, Source::measured, 0.02}});
    }
    std::sort(profile.kernels.begin(), profile.kernels.end(),
              [](const KernelTime& one, const KernelTime& other) { return one.key < other.key; });
  }

  StagePrices prices() const { return price(graph, plan, cluster, profile).stages[0]; }
};

TEST(PlanPricer, RanksOfOneDeviceSlowEachOther) {
  TwoRanks two;
  const StagePrices alone = two.prices();
  // Beside each other all take 0.9 ms longer, and wait two thirds of 0.1 ms for memory.
  two.profile.contention = {2, Bytes{}, 1, 0, 0.9};
  const StagePrices beside = two.prices();
  std::size_t measured = 0;
  for (std::size_t i = 0; i < two.plan.stages[0].backward_end.items; ++i) {
    if (alone.items[i].source != Source::measured) continue;
    EXPECT_NEAR(beside.items[i].time.value, 1.9e-3 + 2.0 / 3 * 0.1e-3, 1e-9) << i;
    ++measured;
  }
  EXPECT_EQ(measured, two.profile.kernels.size());
}

TEST(PlanPricer, RanksThatShareACoreTakeTurnsForPassesAndNotForARoofline) {
  TwoRanks two;
  const StagePrices apart = two.prices();
  two.cluster.device.multiprocessors = 1;
  const StagePrices together = two.prices();
  for (std::size_t i = 0; i < two.plan.stages[0].backward_end.items; ++i) {
    if (apart.items[i].source != Source::measured) continue;
    EXPECT_DOUBLE_EQ(together.items[i].time / apart.items[i].time, 2);
    EXPECT_EQ(together.items[i].source, Source::assumed);
  }
}

TEST(PlanPricer, SaysWhatOfAnExchangeItsRankCopies) {
  TwoRanks two;
  const StagePrices alone = two.prices();
  two.profile.staging = {{Bytes{1}, Bandwidth{4e9}, Bandwidth{4e9}}};
  const StagePrices copying = two.prices();
  const Stage& stage = two.plan.stages[0];
  ASSERT_EQ(copying.copied.size(), stage.items.size());
  Seconds copied;
  for (std::size_t i = 0; i < stage.items.size(); ++i) {
    EXPECT_DOUBLE_EQ(copying.items[i].time.value, (alone.items[i].time + copying.copied[i]).value);
    EXPECT_EQ(alone.copied[i].value, 0);
    copied += copying.copied[i];
  }
  // 64 x 24 and 24 x 64 weights of 4 bytes, into a message and out of it.
  EXPECT_DOUBLE_EQ(copied.value, 2 * 4 * (2 * 64 * 24) / 4e9);
}

TEST(PlanPricer, ChangesTheNumberFormatWithThePlan) {
  const Graph graph = dense_chain({64, 24, 64});
  Cluster cluster = flat_cluster();
  for (FlopRate& peak : cluster.device.peak) peak = FlopRate{1e11};
  const Profile profile;
  PlanPricer pricer(graph, cluster, profile);
  Prices prices;
  for (const char* precision : {"fp32", "fp16", "fp32"}) {
    const auto plan = partition(graph, {}, training_of(32, precision), cluster);
    pricer.price_passes(std::get<Plan>(plan), prices);
    pricer.price_exchange(prices);
    const Prices fresh = price(graph, std::get<Plan>(plan), cluster, profile);
    EXPECT_EQ(prices.stages[0].items, fresh.stages[0].items) << precision;
  }
}

}  // namespace plan_pricer_test
}  // namespace oracle
