#include "oracle/cost/price.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/cost/collectives/ring.h"
#include "oracle/cost/compute/crowding.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/transfer_pricer.h"
#include "oracle/graph/layer_case.h"
#include "oracle/plan/strategy/strategy.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace price_test {

constexpr AxisSet kOuter = 1, kInner = 2;

class Price : public testing::Test, protected OneConvolution {
 protected:
  static Transfer transfer(Collective collective, AxisSet axes, double bytes,
                           Payload payload = Payload::activation) {
    return {collective, axes, Bytes{bytes}, payload, 0};
  }
  TransferPrice priced(const Transfer& t) const {
    return price_transfer(plan, t, cluster, profile);
  }
  Cost worked(Pass pass) const {
    const LayerId layer = pass == Pass::update ? kAllLayers : 0;
    return price_work(graph, plan, plan.stages[0], {layer, pass}, cluster, profile);
  }

  /// Sixteen ranks on one processor of so many cores; forward was measured, 1 ms.
  Cost compute_on(int cores) {
    cluster.device.device_class = DeviceClass::cpu;
    cluster.device.multiprocessors = cores;
    cluster.ranks_per_device = 16;
    plan.strategy = parse_strategy("data:16");
    const Cost alone{Seconds{1e-3}, Source::measured, 0.02};
    profile.kernels = {{key_of(graph[0], plan.pieces[0], Pass::forward, plan.training), alone}};
    return alone;
  }

  Cluster cluster = cluster_of_gpus();
  Profile profile;
};

TEST_F(Price, NeighboursExchange) {
  // Neighbours of the inner axis share a node: 9 us, 50 GB/s.
  EXPECT_NEAR(priced(transfer(Collective::send_receive, kInner, 1e6)).cost.time.value, 29e-6,
              1e-15);
  const TransferPrice halo = priced(transfer(Collective::halo_exchange, kInner, 1e6));
  EXPECT_NEAR(halo.cost.time.value, 38e-6, 1e-15);
  EXPECT_EQ(halo.algorithm, nullptr);
  EXPECT_EQ(halo.group.size, 2);
}

TEST_F(Price, WorkedNumberOfAHalo) {
  cluster.levels[0].uplink = {"", Bandwidth{10e9}, Bandwidth{10e9}, Seconds{10e-6}};
  EXPECT_NEAR(priced(transfer(Collective::halo_exchange, kInner, 1e6)).cost.time.value, 120e-6,
              1e-15);
}

TEST_F(Price, NeighboursAcrossNodesShareTheUplink) {
  // All four ranks of a node send to the next node over 12.5 GB/s.
  EXPECT_NEAR(priced(transfer(Collective::send_receive, kOuter, 1e6)).cost.time.value,
              40e-6 + 4 * 80e-6, 1e-12);
}

TEST_F(Price, GradientsFollowTheStrategy) {
  plan.strategy.exchange = "ring";
  const Transfer gradients =
      transfer(Collective::all_reduce, kOuter, 1e5, Payload::weight_gradient);
  const TransferPrice exchanged = priced(gradients);
  EXPECT_EQ(exchanged.algorithm->name, "ring");
  EXPECT_EQ(exchanged.cost.time, ring_all_reduce(Bytes{1e5}, exchanged.group));
  EXPECT_NEAR(exchanged.cost.time.value, 6 * (40e-6 + 1e5 / 4 / 3.125e9), 1e-12);
  const TransferPrice activations = priced(transfer(Collective::all_reduce, kOuter, 1e5));
  EXPECT_NE(activations.algorithm->name, "ring");
  EXPECT_LT(activations.cost.time, exchanged.cost.time);
}

TEST_F(Price, DataSheetsAreTheEvidenceOfLinks) {
  const Cost cost = priced(transfer(Collective::all_gather, kInner, 1e6)).cost;
  EXPECT_EQ(cost.source, Source::datasheet);
  EXPECT_DOUBLE_EQ(cost.uncertainty, 0.25);
}

TEST_F(Price, FitsReplaceDataSheets) {
  profile.links = {{"node", {{Bytes{0}, Seconds{20e-6}, Bandwidth{25e9}, 0.04}}}};
  const TransferPrice fitted = priced(transfer(Collective::send_receive, kInner, 1e6));
  EXPECT_NEAR(fitted.cost.time.value, 60e-6, 1e-15);
  EXPECT_EQ(fitted.cost.source, Source::fitted);
  EXPECT_DOUBLE_EQ(fitted.cost.uncertainty, 0.04);
}

TEST_F(Price, AMeasuredCollectiveIsPricedByItsOwnAlgorithm) {
  // Its formula gives back what was measured: 6·(50 us + 25 kB/(5/4 GB/s)) over 4 nodes, of which
  // the uplink's four groups get a fourth each.
  LinkFit fit{"system", {{Bytes{0}, Seconds{50e-6}, Bandwidth{5e9}, 0.1}}};
  fit.operation = "all_reduce";
  fit.algorithm = "ring";
  profile.links = {fit};
  const Transfer activations = transfer(Collective::all_reduce, kOuter, 1e5);
  const TransferPrice fitted = priced(activations);
  EXPECT_EQ(fitted.algorithm->name, "ring");
  EXPECT_EQ(fitted.cost.source, Source::fitted);
  EXPECT_NEAR(fitted.cost.time.value, 6 * (50e-6 + 25e3 / 1.25e9), 1e-12);
  // One that a strategy names instead has its own formula, and no measurement.
  plan.strategy.exchange = "tree";
  const TransferPrice named =
      priced(transfer(Collective::all_reduce, kOuter, 1e5, Payload::weight_gradient));
  EXPECT_EQ(named.algorithm->name, "tree");
  EXPECT_EQ(named.cost.source, Source::datasheet);
}

TEST_F(Price, AGroupOfOneRankSendsNothing) {
  plan.degrees = {16, 1};
  EXPECT_EQ(priced(transfer(Collective::all_reduce, kInner, 1e6)).cost.time.value, 0);
  EXPECT_EQ(priced(transfer(Collective::send_receive, kInner, 1e6)).cost.time.value, 0);
}

TEST_F(Price, WorkIsPricedByTheRoofline) {
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::gradient_sum}) {
    EXPECT_EQ(worked(pass), roofline(demand(graph[0], plan.pieces[0], pass, plan.training),
                                     DataType::fp32, cluster));
  }
}

TEST_F(Price, TheUpdateTouchesAllWeightsOfTheStage) {
  graph.layers.resize(3, graph[0]);
  plan.pieces.resize(3, plan.pieces[0]);
  plan.stages[0].first = 1;
  plan.stages[0].last = 3;
  EXPECT_EQ(worked(Pass::update),
            roofline(update_demand(2 * 36864, plan.training), DataType::fp32, cluster));
}

TEST_F(Price, AMeasuredKernelComesFirst) {
  const Cost measured{Seconds{1e-3}, Source::measured, 0.02};
  KernelKey other = key_of(graph[0], plan.pieces[0], Pass::forward, plan.training);
  other.samples += 1;
  profile.kernels = {{key_of(graph[0], plan.pieces[0], Pass::forward, plan.training), measured},
                     {other, Cost{Seconds{2e-3}, Source::measured, 0.02}}};
  EXPECT_EQ(worked(Pass::forward), measured);
  EXPECT_EQ(worked(Pass::backward_data).source, Source::assumed);
}

TEST_F(Price, AViewCostsNothingButWhereItWasMeasured) {
  graph.layers = {layer_of(parse_layer_case("flatten 8:64x7x7"))};
  plan.pieces = {whole(graph[0], 8)};
  EXPECT_EQ(worked(Pass::forward).time, Seconds{0});
  const Cost measured{Seconds{50e-6}, Source::measured, 0.02};
  profile.kernels = {{key_of(graph[0], plan.pieces[0], Pass::forward, plan.training), measured}};
  EXPECT_EQ(worked(Pass::forward), measured);
  plan.stages[0].items = {{Work{0, Pass::forward}}};
  plan.stages[0].backward_end.items = 1;
  EXPECT_EQ(price(graph, plan, cluster, profile).stages[0].items[0], measured);
}

TEST_F(Price, RanksThatOutnumberTheCoresTakeTurns) {
  const Cost alone = compute_on(8);
  profile.kernels.push_back({update_key(plan.pieces[0].weights, plan.training), alone});
  std::sort(profile.kernels.begin(), profile.kernels.end(),
            [](const KernelTime& a, const KernelTime& b) { return a.key < b.key; });
  EXPECT_EQ(worked(Pass::forward), alone);
  EXPECT_EQ(worked(Pass::update).time, Seconds{2e-3});
  plan.stages[0].items = {{Work{0, Pass::forward}}, {Work{kAllLayers, Pass::update}}};
  plan.stages[0].backward_end.items = 1;
  const std::vector<Cost> crowded = price(graph, plan, cluster, profile).stages[0].items;
  EXPECT_EQ(crowded[0].time, Seconds{2e-3});
  EXPECT_EQ(crowded[1].time, Seconds{2e-3});
}

TEST_F(Price, WhatWasNotMeasuredIsToldFromItsFamily) {
  const KernelKey key = key_of(graph[0], plan.pieces[0], Pass::forward, plan.training);
  KernelFit fit;
  fit.family = family_of(key);
  fit.plain.launch = Seconds{5e-3};
  fit.lengths.fill(1);
  fit.points = {{features_of(key), 0}};
  profile.fits = {fit};
  Cost told = price_of(fit, key);
  told.fit = fit_number(0);
  EXPECT_EQ(worked(Pass::forward), told);
  EXPECT_EQ(worked(Pass::forward).time, Seconds{5e-3});
  EXPECT_EQ(worked(Pass::forward).source, Source::interpolated);
  EXPECT_EQ(worked(Pass::backward_data).source, Source::assumed);  // a pass without a fit
}

TEST_F(Price, AMeasuredUpdateIsPricedByItsOptimizerAndWeights) {
  const std::int64_t weights = plan.pieces[0].weights;
  const Cost measured{Seconds{3e-3}, Source::measured, 0.01};
  profile.kernels = {{update_key(weights, plan.training), measured}};
  EXPECT_EQ(worked(Pass::update), measured);
}

TEST_F(Price, AMeasuredCompressionIsPricedByItsWords) {
  Compression step;
  step.step = CompressionStep::reduce;
  step.exchange = "gtopk";
  step.touched = Bytes{1e6};
  step.inputs = 2;
  step.input = step.output = 1024;
  step.times = 3;
  EXPECT_EQ(price_compression(plan, step, cluster, profile).source, Source::assumed);
  profile.kernels = {{key_of(step, plan.training), Cost{Seconds{3e-3}, Source::measured, 0.01}}};
  const Cost cost = price_compression(plan, step, cluster, profile);
  EXPECT_EQ(cost.time, Seconds{3e-3} * 3.0) << "merged three times";
  EXPECT_EQ(cost.source, Source::measured);
  EXPECT_NEAR(cost.uncertainty, 0.01, 1e-12);
  step.exchange = "topk";
  EXPECT_EQ(price_compression(plan, step, cluster, profile).source, Source::assumed);
}

TEST_F(Price, ItemsAreInTheOrderOfThePlan) {
  const Transfer reduce = transfer(Collective::all_reduce, kOuter, 1e6, Payload::weight_gradient);
  const Transfer gather = transfer(Collective::all_gather, kInner, 1e6);
  const Transfer message = transfer(Collective::send_receive, kOuter, 1e6);
  const Transfer answer = transfer(Collective::send_receive, kOuter, 2e6);
  Stage& stage = plan.stages[0];
  stage.items = {{gather}, {Work{0, Pass::forward}}, {reduce}, {Work{kAllLayers, Pass::update}}};
  stage.backward_end.items = 2;
  stage.to_next = {message};
  stage.from_next = {answer, message};

  for (const bool with_fits : {false, true}) {
    if (with_fits) profile.links = {{"node", {{Bytes{0}, Seconds{1e-6}, Bandwidth{1e9}, 0.1}}}};
    const Prices prices = price(graph, plan, cluster, profile);
    ASSERT_EQ(prices.stages.size(), 1U);
    EXPECT_EQ(prices.stages[0].items,
              (std::vector<Cost>{priced(gather).cost, worked(Pass::forward), priced(reduce).cost,
                                 worked(Pass::update)}));
    EXPECT_EQ(prices.stages[0].to_next, std::vector<Cost>{priced(message).cost});
    EXPECT_EQ(prices.stages[0].from_next,
              (std::vector<Cost>{priced(answer).cost, priced(message).cost}));
  }
}

}  // namespace price_test
}  // namespace oracle
