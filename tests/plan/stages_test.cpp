// Pipelines: where stages are cut, and what crosses between them.

#include "oracle/plan/stages.h"

#include <gtest/gtest.h>
#include <random>

#include "oracle/base/error.h"
#include "oracle/io/models/transformers/architecture.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace stages_test {

using Lines = std::vector<std::string>;

std::vector<LayerId> firsts_of(const Plan& plan) {
  std::vector<LayerId> firsts;
  for (const Stage& stage : plan.stages) firsts.push_back(stage.first);
  return firsts;
}

/// Serial time of a dense layer's three passes: 3·2·C·F·B over 10 TFLOP/s, where its products bound
/// it.
double seconds_of(const Graph& graph, LayerId id, std::int64_t batch) {
  const Layer& layer = graph[id];
  return 6e-13 * static_cast<double>(layer.reduction * layer.output.channels() * batch);
}

double longest(const std::vector<double>& times, const std::vector<LayerId>& firsts) {
  double most = 0;
  for (std::size_t s = 0; s < firsts.size(); ++s) {
    const std::size_t end = s + 1 < firsts.size() ? firsts[s + 1] : times.size();
    double sum = 0;
    for (std::size_t id = firsts[s]; id < end; ++id) sum += times[id];
    most = std::max(most, sum);
  }
  return most;
}

/// The shortest longest stage over every choice of cut places after layer 1.
double best_cut(const std::vector<double>& times, std::vector<LayerId>& firsts,
                std::size_t stages) {
  if (firsts.size() == stages) return longest(times, firsts);
  double best = 1e99;
  const LayerId from = std::max<LayerId>(firsts.back() + 1, 2);
  for (LayerId place = from; place < times.size(); ++place) {
    firsts.push_back(place);
    best = std::min(best, best_cut(times, firsts, stages));
    firsts.pop_back();
  }
  return best;
}

TEST(Stages, AreAsBalancedAsTheBestOfAllCuts) {
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::vector<std::int64_t> features = {2048};
    for (int i = 0; i < 8; ++i)
      features.push_back(1024 + static_cast<std::int64_t>(random() % 7000));
    const Graph graph = dense_chain(features);
    // Batches this large leave nothing to the traffic of the layers.
    const std::int64_t batch = 4096;
    std::vector<double> times(graph.size(), 0);
    for (LayerId id = 1; id < graph.size(); ++id) times[id] = seconds_of(graph, id, batch);
    for (std::size_t stages = 2; stages <= 4; ++stages) {
      const Plan plan =
          plan_of(graph, "pipeline:" + std::to_string(stages) + "; micro_batches=1", batch);
      std::vector<LayerId> first = {0};
      const double best = best_cut(times, first, stages);
      // The loss, which this count leaves out, is a millionth of a layer.
      EXPECT_NEAR(longest(times, firsts_of(plan)), best, 1e-3 * best);
    }
  }
}

TEST(Stages, CoverTheNetworkInOrder) {
  const Graph graph = dense_chain({64, 64, 64, 64, 64, 64});
  for (std::int64_t stages = 1; stages <= 6; ++stages) {
    const Plan plan = plan_of(graph, "pipeline:" + std::to_string(stages), 64);
    LayerId next = 0;
    for (const Stage& stage : plan.stages) {
      EXPECT_EQ(stage.first, next);
      EXPECT_GT(stage.last, stage.first);
      next = stage.last;
    }
    EXPECT_EQ(next, graph.size());
  }
}

TEST(Stages, BeginWhereTheStrategyNamesLayers) {
  const Graph graph = dense_chain({64, 64, 64, 64, 64, 64});
  const auto firsts = [&](const char* strategy) { return firsts_of(plan_of(graph, strategy, 64)); };
  EXPECT_EQ(firsts("pipeline:3; stages=fc2,fc5"), (std::vector<LayerId>{0, 2, 5}));
  EXPECT_EQ(firsts("pipeline:3; stages=*4,*"), (std::vector<LayerId>{0, 4, 5}));
}

Graph text_of(std::int64_t blocks) {
  transformers::Architecture of;
  of.layers = blocks;
  of.hidden = of.ffn = of.vocabulary = 64;
  of.heads = of.kv_heads = 4;
  of.head_size = 16;
  return build(of, "text", 16);
}

/// What the stages but the first begin with.
std::vector<std::string> begins(std::int64_t blocks, const char* strategy) {
  const Graph graph = text_of(blocks);
  return stage_names(graph, [&] {
    std::vector<LayerId> firsts = firsts_of(plan_of(graph, strategy, 64));
    firsts.push_back(graph.size());
    return firsts;
  }());
}

// Of 6 blocks 2 each; of 5 the last of 3 stages has one; of 4 the first has one as well.
TEST(Stages, HaveAsManyBlocksEach) {
  EXPECT_EQ(begins(6, "pipeline:3; stages=even"), (Lines{"layers.2.norm1", "layers.4.norm1"}));
  EXPECT_EQ(begins(5, "pipeline:3; stages=even"), (Lines{"layers.2.norm1", "layers.4.norm1"}));
  EXPECT_EQ(begins(4, "pipeline:3; stages=even"), (Lines{"layers.1.norm1", "layers.3.norm1"}));
  EXPECT_EQ(begins(6, "pipeline:2; chunks=2; micro_batches=2; stages=even"),
            (Lines{"layers.1.norm1", "layers.3.norm1", "layers.5.norm1"}));
  // What stands before the blocks, each block, and what stands behind them.
  EXPECT_EQ(begins(2, "pipeline:4; stages=even"),
            (Lines{"layers.0.norm1", "layers.1.norm1", "norm"}));
}

/// Blocks of one dense layer each, with a layer before them or not, and one behind.
Graph blocks_of(std::int64_t count, bool before) {
  GraphBuilder builder("blocks");
  LayerId last = builder.input(shape_of(8));
  const auto add = [&](const std::string& name) {
    last = builder.add(name, "dense", {last}, {{"features", std::int64_t{8}}});
  };
  if (before) add("before");
  for (std::int64_t b = 0; b < count; ++b) add("blocks." + std::to_string(b) + ".fc");
  add("behind");
  builder.add("loss", "softmax_loss", {last});
  return builder.finish();
}

TEST(Stages, WithoutABlockNeedAnotherLayer) {
  const Strategy even = parse_strategy("pipeline:4; stages=even");
  EXPECT_EQ(even_stages(blocks_of(2, true), even, 4), (std::vector<LayerId>{0, 2, 3, 4, 6}));
  EXPECT_EQ(even_stages(blocks_of(2, false), even, 4), std::nullopt);
  EXPECT_EQ(even_stages(blocks_of(3, false), even, 4), (std::vector<LayerId>{0, 2, 3, 4, 6}));
}

TEST(Stages, AreLeftOpenWhereTheyCannotBeEven) {
  EXPECT_EQ(begins(2, "pipeline:5; stages=even"), begins(2, "pipeline:5"));
  const Graph chain = dense_chain({64, 64, 64, 64});
  EXPECT_EQ(firsts_of(plan_of(chain, "pipeline:2; stages=even", 64)),
            firsts_of(plan_of(chain, "pipeline:2", 64)));
  EXPECT_TRUE(leaves_stages_open(chain, parse_strategy("pipeline:2; stages=even")));
  EXPECT_FALSE(leaves_stages_open(text_of(2), parse_strategy("pipeline:2; stages=even")));
  EXPECT_EQ(plan_of(chain, "data:2; stages=even", 64).stages.size(), 1U);
}

std::string problem_of(const char* strategy) {
  try {
    plan_of(dense_chain({64, 64, 64, 64, 64, 64}), strategy, 64);
  } catch (const InputError& error) {
    return error.what();
  }
  return "let pass";
}

TEST(Stages, ThatCannotBeginThereAreRefused) {
  EXPECT_EQ(problem_of("pipeline:3; stages=fc2"),
            "--strategy: stages: names the first layers of 2 stages, and the pipeline has 3; write "
            "pipeline:2, or name a layer for each stage but the first");
  EXPECT_NE(problem_of("data:2; stages=fc2").find("and the pipeline has 1"), std::string::npos);
  EXPECT_NE(problem_of("pipeline:2; stages=gc2")
                .find("no layer of chain is called \"gc2\"; did you mean \"fc2\"?"),
            std::string::npos);
  EXPECT_NE(problem_of("pipeline:3; stages=fc4,fc2").find("\"fc2\" lies in the stage before"),
            std::string::npos);
  // The first stage needs a layer.
  EXPECT_NE(problem_of("pipeline:2; stages=fc1").find("\"fc1\" lies in the stage before"),
            std::string::npos);
}

TEST(Stages, MayNotBeginWithinAKernelOrBetweenLayersThatShareAWeight) {
  const Graph graph = dense_chain({64, 64, 64}, true);
  const auto places = [&](const char* strategy, Plan plan) {
    plan.strategy = parse_strategy(strategy);
    plan.degrees = plan.strategy.degrees();
    plan.pipeline_axes = 1;
    return stage_places(graph, plan.fused, plan.group_size(plan.pipeline_axes));
  };
  Plan plan = plan_of(graph, "serial", 16);
  const std::vector<bool> anywhere = {false, false, true, true, true};
  EXPECT_EQ(places("pipeline:2", plan), anywhere);
  plan.fused = {false, false, true, false, false};
  EXPECT_EQ(places("pipeline:2", plan), (std::vector<bool>{false, false, false, true, true}));
  // There are not enough others.
  EXPECT_EQ(places("pipeline:4", plan), anywhere);
}

/// fc1 is read again by a sum four layers on.
Graph with_skip() {
  GraphBuilder builder("skip");
  const auto dense = [&](const char* name, LayerId from) {
    return builder.add(name, "dense", {from}, {{"features", std::int64_t{8}}, {"bias", false}});
  };
  const LayerId first = dense("fc1", builder.input(shape_of(8)));
  const LayerId last = dense("fc4", dense("fc3", dense("fc2", first)));
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {last, first})});
  return builder.finish();
}

TEST(Stages, AreCutBetweenBlocksWhileThereAreEnough) {
  const Graph graph = with_skip();
  EXPECT_EQ(firsts_of(plan_of(graph, "pipeline:3", 16)),
            (std::vector<LayerId>{0, id_of(graph, "fc2"), id_of(graph, "loss")}));
  EXPECT_EQ(plan_of(graph, "pipeline:4", 16).stages.size(), 4U);
}

Lines messages(const Graph& graph, const std::vector<Transfer>& list) {
  Lines lines;
  for (const Transfer& message : list) lines.push_back(to_text(graph, message));
  return lines;
}

TEST(Stages, PassOnWhatLaterStagesRead) {
  // One layer a stage; 16 samples in 4 micro-batches of 4 with 8 features of 4 bytes.
  const Graph graph = with_skip();
  const Plan plan = plan_of(graph, "pipeline:6; micro_batches=4", 16);
  const auto message = [](const char* layer, const char* payload) {
    return "send_receive{0} 128 B of " + std::string(layer) + ": " + payload;
  };
  const std::vector<Lines> crossing = {{"fc1"},        {"fc1", "fc2"}, {"fc1", "fc3"},
                                       {"fc1", "fc4"}, {"sum"},        {}};
  for (std::size_t s = 0; s < crossing.size(); ++s) {
    Lines forward, backward;
    for (const std::string& layer : crossing[s]) {
      forward.push_back(message(layer.c_str(), "activation"));
      backward.push_back(message(layer.c_str(), "activation gradient"));
    }
    EXPECT_EQ(messages(graph, plan.stages[s].to_next), forward) << s;
    EXPECT_EQ(messages(graph, plan.stages[s].from_next), backward) << s;
  }
  // The gradient that came with the skip is added where fc1 is read for the first time.
  EXPECT_EQ(works(graph, plan, 1),
            (Lines{"forward fc2", "backward_data fc2", "backward_weights fc2", "gradient_sum fc1",
                   "update all"}));
  EXPECT_EQ(works(graph, plan, 2),
            (Lines{"forward fc3", "backward_data fc3", "backward_weights fc3", "update all"}));
}

TEST(Stages, SendPartsOfWhatIsCut) {
  const Graph graph = dense_chain({8, 8, 8, 8, 8});
  const Plan plan = plan_of(graph, "data:2,pipeline:2; micro_batches=2", 16);
  EXPECT_EQ(plan.pipeline_axes, 2U);
  EXPECT_EQ(plan.micro_batch_samples(), 8);
  ASSERT_EQ(plan.stages[0].to_next.size(), 1U);
  // 4 of the 8 samples of a micro-batch are a replica's.
  EXPECT_EQ(plan.stages[0].to_next[0].bytes, Bytes{4 * 8 * 4});
  EXPECT_EQ(plan.stages[0].to_next[0].axes, 2U);
  // Each stage exchanges its own weights among its replicas.
  double exchanged = 0;
  for (std::size_t s = 0; s < 2; ++s) {
    for (const Item& item : plan.stages[s].items) {
      if (item.phase != Phase::exchange) continue;
      EXPECT_EQ(std::get<Transfer>(item.what).axes, 1U);
      exchanged += std::get<Transfer>(item.what).bytes.value;
    }
  }
  EXPECT_EQ(exchanged, 4 * 4 * 64);
}

TEST(Stages, ChooseMicroBatchesWhereNoneAreGiven) {
  const Graph graph = dense_chain({8, 8, 8, 8, 8});
  EXPECT_EQ(plan_of(graph, "pipeline:2", 64).strategy.micro_batches, 8);
  EXPECT_EQ(plan_of(graph, "data:4,pipeline:2", 64).strategy.micro_batches, 8);
  EXPECT_EQ(plan_of(graph, "data:16,pipeline:2", 48).strategy.micro_batches, 3);
  EXPECT_EQ(plan_of(graph, "data:4", 64).strategy.micro_batches, 1);
}

}  // namespace stages_test
}  // namespace oracle
