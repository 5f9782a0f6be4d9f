#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "oracle/base/error.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace evaluate_test {

const Graph kChain = dense_chain({64, 64, 64, 64}, true);

Evaluation evaluated(const Graph& graph, const std::string& strategy, std::int64_t batch,
                     const Cluster& cluster = flat_cluster(), const Profile& profile = {}) {
  return evaluate(graph, cluster, profile, parse_strategy(strategy), training_of(batch),
                  Detail::events);
}

TEST(Evaluate, JudgesMemoryBeforeTime) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{100e6};
  const Evaluation evaluation = evaluated(dense_chain({4096, 4096}), "data:2", 32, cluster);
  EXPECT_EQ(evaluation.fits(), nullptr);
  EXPECT_FALSE(evaluation.plan);
  ASSERT_NE(evaluation.infeasible(), nullptr);
  const Infeasible& refusal = *evaluation.infeasible();
  EXPECT_EQ(refusal.constraint, Constraint::memory);
  EXPECT_EQ(refusal.subject, "device memory");
  // Weights, gradients and the bucket they travel in; the samples are gone by then.
  EXPECT_EQ(refusal.needed, 3 * 4096.0 * 4096 * 4);
  EXPECT_EQ(refusal.available, 100e6);
  EXPECT_EQ(refusal.unit, "B");
  EXPECT_EQ(refusal.remedy,
            "most of it is weights: shard the weights over more ranks (filter, channel, tensor, "
            "pipeline; zero=1 to 3)");
}

/// Weights, gradients and momentum of 4,096² parameters on a host that two ranks have in common.
TEST(Evaluate, JudgesTheMemoryOfTheHost) {
  Cluster cluster = flat_cluster();
  cluster.host.devices = 2;
  cluster.host.memory = Bytes{300e6};
  const auto at = [&](const char* strategy) {
    return evaluate(dense_chain({4096, 4096}), cluster, {}, parse_strategy(strategy),
                    training_of(32, "fp32", "momentum"));
  };
  EXPECT_NE(at("serial; offload=optimizer").fits(), nullptr);
  EXPECT_NE(at("data:2; zero=1; offload=optimizer").fits(), nullptr);
  const Evaluation refused = at("data:2; offload=optimizer");
  ASSERT_NE(refused.infeasible(), nullptr);
  EXPECT_EQ(refused.infeasible()->constraint, Constraint::memory);
  EXPECT_EQ(refused.infeasible()->subject, "host memory of a rank");
  EXPECT_EQ(refused.infeasible()->needed, 3 * 4096.0 * 4096 * 4);
  EXPECT_EQ(refused.infeasible()->available, 150e6);
}

TEST(Evaluate, SaysWhatAStepWouldTakeIfMemorySufficed) {
  Cluster cluster = flat_cluster();
  const Evaluation fits = evaluated(kChain, "data:2", 32, cluster);
  EXPECT_FALSE(fits.beyond);
  cluster.device.memory = Bytes{1e4};
  const Evaluation lacks = evaluated(kChain, "data:2", 32, cluster);
  ASSERT_TRUE(lacks.beyond);
  EXPECT_EQ(lacks.beyond->step.time, fits.fits()->step.time);
  EXPECT_EQ(lacks.beyond->memory.total(), fits.fits()->memory.total());
}

TEST(Evaluate, AdvisesOnActivations) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{1e6};
  const auto remedy = [&](const std::string& strategy) {
    const Evaluation evaluation = evaluated(kChain, strategy, 8192, cluster);
    return evaluation.infeasible() != nullptr ? evaluation.infeasible()->remedy : "it fits";
  };
  EXPECT_EQ(remedy("data:2"),
            "most of it is activations: use more micro-batches (micro_batches=4096 at most), lower "
            "the batch per rank, or shard activations over more ranks (spatial, filter)");
  EXPECT_NE(remedy("pipeline:2; schedule=gpipe").find("with the 1f1b schedule, lower"),
            std::string::npos);
  EXPECT_EQ(remedy("data:2; micro_batches=4096").find("micro_batches"), std::string::npos);
}

TEST(Evaluate, KeepsTheStrategyThatCannotBePlanned) {
  const Evaluation evaluation = evaluated(kChain, "filter:128", 8);
  ASSERT_NE(evaluation.infeasible(), nullptr);
  EXPECT_EQ(evaluation.infeasible()->constraint, Constraint::filters);
  EXPECT_EQ(to_text(evaluation.strategy), "filter:128");
  EXPECT_EQ(evaluation.ranks, 128);
}

TEST(Evaluate, OneRankTakesTheSumOfItsPrices) {
  const Evaluation evaluation = evaluated(kChain, "serial", 32);
  const Plan& plan = *evaluation.plan;
  const Prices prices = price(kChain, plan, flat_cluster(), Profile{});
  double sum = 0;
  for (const Cost& cost : prices.stages[0].items) sum += cost.time.value;
  const Fits& fits = *evaluation.fits();
  EXPECT_DOUBLE_EQ(fits.step.time.value, sum);
  EXPECT_DOUBLE_EQ(fits.samples_per_second, 32 / sum);
  EXPECT_EQ(fits.step.time, fits.timeline.length);
  // All evidence is of one kind, so the relative error is that of each price.
  EXPECT_EQ(fits.step.source, prices.stages[0].items[0].source);
  EXPECT_NEAR(fits.step.uncertainty, prices.stages[0].items[0].uncertainty, 1e-12);
}

TEST(Evaluate, MeasuredKernelsNarrowTheInterval) {
  const Evaluation before = evaluated(kChain, "serial", 32);
  const Plan& plan = *before.plan;
  const Layer& layer = kChain[1];
  Profile profile;
  const Cost measured{Seconds{1e-3}, Source::measured, 0.02};
  profile.kernels = {{key_of(layer, plan.pieces[1], Pass::forward, plan.training), measured}};
  const Fits fits = *evaluated(kChain, "serial", 32, flat_cluster(), profile).fits();

  // The three dense layers are alike, so the forward pass of each is that measured kernel.
  const double known = 3e-3;
  EXPECT_DOUBLE_EQ(fits.time_by_source[static_cast<std::size_t>(Source::measured)].value, known);
  const double rest = fits.step.time.value - known;
  EXPECT_NEAR(fits.time_by_source[static_cast<std::size_t>(Source::assumed)].value, rest, 1e-15);
  const double u = before.fits()->step.uncertainty;
  EXPECT_NEAR(fits.step.uncertainty, std::hypot(0.02 * known, u * rest) / fits.step.time.value,
              1e-12);
  EXPECT_EQ(fits.step.source, Source::assumed);
}

TEST(Evaluate, EvidenceAddsUpToBusyTime) {
  const Fits fits = *evaluated(kChain, "data:4; overlap=off", 32).fits();
  double sum = 0;
  for (const Seconds& part : fits.time_by_source) sum += part.value;
  EXPECT_NEAR(sum, fits.step.time.value, 1e-15);
  EXPECT_GT(fits.time_by_source[static_cast<std::size_t>(Source::datasheet)].value, 0);
}

TEST(Evaluate, TransfersSendTheBytesOfThePlan) {
  for (const char* strategy :
       {"data:4", "filter:4", "data:2,tensor:2", "data:2; micro_batches=4",
        "data:2,pipeline:3; micro_batches=4", "filter:2,pipeline:2; micro_batches=2",
        "data:2; offload=optimizer+activations; micro_batches=4"}) {
    const Evaluation evaluation = evaluated(kChain, strategy, 32);
    const Plan& plan = *evaluation.plan;
    const auto m = static_cast<double>(plan.strategy.micro_batches);
    double expected = 0;
    for (const Stage& stage : plan.stages) {
      for (const Item& item : stage.items) {
        const auto* transfer = std::get_if<Transfer>(&item.what);
        if (transfer == nullptr) continue;
        const double times = item.phase == Phase::exchange ? 1 : m;
        expected += times * sent_bytes(*transfer, plan.group_size(transfer->axes)).value;
      }
      for (const Transfer& message : stage.to_next) expected += m * message.bytes.value;
      for (const Transfer& message : stage.from_next) expected += m * message.bytes.value;
    }
    double sent = 0, exposed = 0;
    for (const TransferTime& row : evaluation.fits()->transfers) {
      sent += row.sent.value;
      exposed += row.exposed.value;
    }
    EXPECT_DOUBLE_EQ(sent, expected) << strategy;
    const Breakdown& parts = evaluation.fits()->timeline.breakdown;
    EXPECT_NEAR(exposed, (parts.exposed_activation + parts.exposed_gradient).value, 1e-12)
        << strategy;
  }
}

TEST(Evaluate, LayersAddUpToCompute) {
  for (const char* strategy : {"serial", "data:4", "filter:4; micro_batches=2"}) {
    const Evaluation evaluation = evaluated(kChain, strategy, 32);
    double sum = 0;
    for (const LayerTime& row : evaluation.fits()->layers) sum += row.total().value;
    const Breakdown& parts = evaluation.fits()->timeline.breakdown;
    EXPECT_NEAR(sum, (parts.forward + parts.backward).value, 1e-12) << strategy;
  }
}

TEST(Evaluate, TransfersSayWhereAndHow) {
  const Evaluation evaluation = evaluated(kChain, "data:2,pipeline:2; exchange=ring", 32);
  bool exchanged = false, sent = false;
  for (const TransferTime& row : evaluation.fits()->transfers) {
    EXPECT_EQ(row.level, "node");
    EXPECT_EQ(row.ranks, 2);
    if (row.phase == Phase::exchange) {
      EXPECT_EQ(row.algorithm, "ring");
      EXPECT_EQ(row.times, 1);
      exchanged = true;
    } else {
      EXPECT_EQ(row.algorithm, "neighbour");
      EXPECT_EQ(row.times, 8);
      sent = true;
    }
  }
  EXPECT_TRUE(exchanged && sent);
}

TEST(Evaluate, CopiesCrossTheLinkToTheHost) {
  const Evaluation evaluation = evaluated(kChain, "serial; offload=optimizer+activations", 32);
  std::set<Collective> ways;
  for (const TransferTime& row : evaluation.fits()->transfers) {
    EXPECT_EQ(row.algorithm, "copy");
    EXPECT_EQ(row.level, "host");
    ways.insert(row.transfer.collective);
  }
  EXPECT_EQ(ways, (std::set<Collective>{Collective::to_host, Collective::from_host}));
  std::set<Stream> streams;
  for (const Event& event : evaluation.fits()->timeline.events) streams.insert(event.stream);
  EXPECT_EQ(streams, (std::set<Stream>{Stream::compute, Stream::to_host, Stream::from_host}));
}

TEST(Evaluate, TotalsAreTheSameWithoutDetail) {
  const Strategy strategy = parse_strategy("data:2,filter:2");
  const Evaluation full = evaluated(kChain, "data:2,filter:2", 32);
  const Evaluation brief = evaluate(kChain, flat_cluster(), Profile{}, strategy, training_of(32));
  EXPECT_EQ(brief.fits()->step, full.fits()->step);
  EXPECT_TRUE(brief.fits()->transfers.empty());
  EXPECT_TRUE(brief.fits()->layers.empty());
  EXPECT_TRUE(brief.assumptions.empty());
  EXPECT_FALSE(brief.plan);
  EXPECT_FALSE(full.assumptions.empty());
}

TEST(Evaluate, ReportsTheResolvedStrategy) {
  GraphBuilder builder("net");
  const LayerId conv =
      builder.add("conv", "convolution", {builder.input(shape_of(2, {16, 16}))}, conv3x3(4));
  builder.add("loss", "softmax_loss", {conv});
  const Evaluation evaluation = evaluated(builder.finish(), "spatial:4", 8);
  EXPECT_EQ(to_text(evaluation.strategy), "height:2,width:2");
}

TEST(Evaluate, RefusesAnUnknownExchange) {
  try {
    evaluated(kChain, "data:4; exchange=rnig", 32);
    FAIL() << "let pass";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "exchange: \"rnig\" is not an exchange of gradients; did you mean \"ring\"?");
  }
}

Bottleneck bottleneck_of(const Graph& graph, const std::string& strategy, std::int64_t batch,
                         const Cluster& cluster = flat_cluster()) {
  const Evaluation evaluation = evaluated(graph, strategy, batch, cluster);
  if (evaluation.fits() == nullptr) throw std::runtime_error(to_text(*evaluation.infeasible()));
  EXPECT_EQ(evaluation.fits()->bottleneck_text.find(name_of(evaluation.fits()->bottleneck)), 0U);
  return evaluation.fits()->bottleneck;
}

TEST(Bottleneck, OfWideDenseLayersIsArithmetic) {
  EXPECT_EQ(bottleneck_of(dense_chain({4096, 4096, 4096}), "serial", 8192), Bottleneck::compute);
}

/// Eight activations, then one value per channel, so that nothing after them counts.
Graph elementwise(std::int64_t side) {
  GraphBuilder builder("elementwise");
  LayerId last = builder.input(shape_of(2, {side, side}));
  for (int i = 0; i < 8; ++i) {
    last = builder.add("relu" + std::to_string(i), "activation", {last});
  }
  last = builder.add("mean", "adaptive_pool", {last}, {{"mode", "average"}});
  last = builder.add("conv", "convolution", {last}, conv1x1(2));
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

TEST(Bottleneck, OfElementwiseLayersIsMemoryBandwidth) {
  EXPECT_EQ(bottleneck_of(elementwise(256), "serial", 256), Bottleneck::memory_bandwidth);
}

TEST(Bottleneck, OfTinyLayersIsTheirLaunch) {
  Cluster cluster = flat_cluster();
  cluster.device.launch_overhead = Seconds{1e-3};
  EXPECT_EQ(bottleneck_of(elementwise(2), "serial", 1, cluster), Bottleneck::launch_overhead);
}

Cluster slow_network() {
  Cluster cluster = flat_cluster();
  cluster.levels[0].uplink.bandwidth = cluster.levels[0].uplink.flow_limit = Bandwidth{1e7};
  return cluster;
}

TEST(Bottleneck, OfASlowNetworkIsWhatTravelsMost) {
  const Graph graph = dense_chain({1024, 1024, 1024});
  EXPECT_EQ(bottleneck_of(graph, "data:4", 4, slow_network()), Bottleneck::gradient_exchange);
  EXPECT_EQ(bottleneck_of(graph, "filter:4", 64, slow_network()), Bottleneck::activation_exchange);
}

TEST(Bottleneck, OfAPipelineWithOneMicroBatchIsItsBubble) {
  // Three stages of four wait while one computes; what crosses is a hundredth of it.
  const Graph graph = dense_chain({8192, 8192, 8192, 8192, 8192});
  EXPECT_EQ(bottleneck_of(graph, "pipeline:4; micro_batches=1", 4096), Bottleneck::bubble);
}

Cluster slow_host(Bandwidth link, Bandwidth memory) {
  Cluster cluster = flat_cluster();
  cluster.host.link = link;
  cluster.host.latency = {};
  cluster.host.memory_bandwidth = memory;
  return cluster;
}

TEST(Bottleneck, OfWhatIsOffloadedIsTheLinkToTheHostOrItsMemory) {
  const Graph graph = dense_chain({1024, 1024, 1024});
  const Cluster link = slow_host(Bandwidth{1e6}, Bandwidth{1e12});
  const Cluster memory = slow_host(Bandwidth{1e12}, Bandwidth{1e6});
  const auto text = [&](const char* strategy, const Cluster& cluster) {
    return evaluated(graph, strategy, 4, cluster).fits()->bottleneck_text;
  };
  EXPECT_EQ(bottleneck_of(graph, "serial; offload=optimizer", 4, link),
            Bottleneck::gradient_exchange);
  EXPECT_NE(text("serial; offload=optimizer", link).find("across the link to the host"),
            std::string::npos);
  EXPECT_EQ(bottleneck_of(graph, "serial; offload=activations", 512, link),
            Bottleneck::activation_exchange);
  EXPECT_EQ(bottleneck_of(graph, "serial; offload=optimizer", 4, memory), Bottleneck::host_update);
  EXPECT_NE(text("serial; offload=optimizer", memory).find("the host's memory of 1.00 MB/s"),
            std::string::npos);
}

/// What the host updates is not the device's computing.
TEST(Bottleneck, OfADeviceIsWhatItComputes) {
  const Fits fits = *evaluated(dense_chain({1024, 1024, 1024}), "serial; offload=optimizer", 65536,
                               slow_host(Bandwidth{1e12}, Bandwidth{1e9}))
                         .fits();
  const Breakdown& parts = fits.timeline.breakdown;
  ASSERT_GT(parts.update, fits.timeline.length * 0.1);
  const double share = (parts.forward + parts.backward) / fits.timeline.length;
  const std::string percent = std::to_string(std::lround(100 * share)) + " % of the step";
  EXPECT_NE(fits.bottleneck_text.find(percent), std::string::npos) << fits.bottleneck_text;
}

TEST(Bottleneck, NamesTheTransfer) {
  const Evaluation evaluation =
      evaluated(dense_chain({1024, 1024, 1024}), "data:4", 4, slow_network());
  const std::string& text = evaluation.fits()->bottleneck_text;
  EXPECT_NE(text.find("all_reduce of weight gradients over 4 ranks, across the node level"),
            std::string::npos)
      << text;
}

TEST(Bottleneck, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const Bottleneck bottleneck :
       {Bottleneck::compute, Bottleneck::memory_bandwidth, Bottleneck::launch_overhead,
        Bottleneck::activation_exchange, Bottleneck::gradient_exchange, Bottleneck::bubble,
        Bottleneck::host_update}) {
    EXPECT_TRUE(names.insert(name_of(bottleneck)).second);
  }
}

TEST(Evaluate, NamesTheOperatorsThatHaveNoPriceButTheirBytes) {
  GraphBuilder builder("partly known");
  LayerId last = builder.input(shape_of(8, {4}));
  for (const char* name : {"Loop", "Einsum", "Loop"}) {
    last = builder.add("layer" + std::to_string(last), "opaque", {last},
                       {{"operator", std::string(name)}, {"stored", std::int64_t{10}}});
  }
  // 30 of 120 parameters; 3·32 of 5·32 + 1 outputs.
  last = builder.add("scale", "affine", {last}, {{"stored", std::int64_t{90}}});
  builder.add("loss", "softmax_loss", {last});
  const Evaluation evaluation = evaluated(builder.finish(), "data:2", 4);
  EXPECT_EQ(std::count(evaluation.assumptions.begin(), evaluation.assumptions.end(),
                       "3 operators priced by their bytes, without their operations (25 % of the "
                       "parameters, 60 % of the outputs): Einsum, Loop"),
            1);
}

// Shards are gathered and scattered within the passes, and still are no activations.
TEST(Evaluate, SaysThatAStepWaitsForItsShards) {
  Cluster cluster = flat_cluster();
  for (Level& level : cluster.levels) level.uplink.bandwidth = Bandwidth{1e6};
  const Evaluation evaluation = evaluated(load_model("gpt_tiny"), "data:2; zero=3", 2, cluster);
  ASSERT_NE(evaluation.fits(), nullptr);
  EXPECT_EQ(evaluation.fits()->bottleneck, Bottleneck::gradient_exchange);
  EXPECT_EQ(evaluation.fits()->timeline.breakdown.exposed_activation.value, 0);
  EXPECT_GT(evaluation.fits()->timeline.breakdown.exposed_gradient.value, 0);
  EXPECT_NE(evaluation.fits()->bottleneck_text.find(" of weight"), std::string::npos)
      << evaluation.fits()->bottleneck_text;
}

}  // namespace evaluate_test
}  // namespace oracle
