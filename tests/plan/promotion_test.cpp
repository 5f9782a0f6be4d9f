// Values in fp32 under autocast: which, what casts them, and what that takes.

#include "oracle/plan/promotion.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/cost/compute/kernel.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/memory/liveness.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace promotion_test {

Framework autocast(bool fuses = false) {
  Framework framework;
  framework.fp32_weights = framework.promotes = true;
  framework.fuses = fuses;
  return framework;
}

Training training_in(const char* precision, const Framework& framework = autocast()) {
  Training training;
  training.batch = 8;
  training.precision = precision_named(precision);
  training.run_by(framework);
  return training;
}

Plan planned(const Graph& graph, const Training& training, const char* strategy = "serial") {
  auto made =
      partition(graph, parse_strategy(strategy), training, load_cluster("8xa100-sxm4-80gb"));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

/// A part of a transformer: a norm before a linear, an activation, another linear, and the sum.
Graph one_mlp() {
  GraphBuilder builder("mlp");
  Shape text = shape_of(32);
  text[Axis::sequence] = 16;
  const LayerId before = builder.add("before", "layer_norm", {builder.input(text)});
  const LayerId norm = builder.add("norm", "layer_norm", {before});
  const LayerId fc1 =
      builder.add("fc1", "dense", {norm}, {{"features", std::int64_t{64}}, {"bias", false}});
  const LayerId relu = builder.add("relu", "activation", {fc1});
  const LayerId fc2 =
      builder.add("fc2", "dense", {relu}, {{"features", std::int64_t{32}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {fc2, before})});
  return builder.finish();
}

std::vector<const Item*> casts_of(const Stage& stage) { return items_of(stage, Pass::quantize); }

const Work& work_of(const Item& item) { return std::get<Work>(item.what); }

TEST(Promotion, NormsAndSumsBecomeFp32) {
  const Graph graph = one_mlp();
  const Plan plan = planned(graph, training_in("bf16"));
  for (const char* name : {"before", "norm", "sum"}) {
    EXPECT_TRUE(plan.is_wide(id_of(graph, name))) << name;
  }
  for (const char* name : {"fc1", "relu", "fc2"}) {
    EXPECT_FALSE(plan.is_wide(id_of(graph, name))) << name;
  }
}

TEST(Promotion, NothingDoesWithoutAutocastOrIn32Bits) {
  const Graph graph = one_mlp();
  Framework casts;
  casts.fp32_weights = true;
  EXPECT_TRUE(promoted_layers(graph, training_in("bf16", casts), 0).empty());
  EXPECT_TRUE(promoted_layers(graph, training_in("fp32"), 0).empty());
  EXPECT_TRUE(promoted_layers(graph, training_in("tf32"), 0).empty());
  Training half = training_in("bf16");
  half.state.master = 4;
  half.precision = precision_named("bf16");
  half.run_by(autocast());
  EXPECT_TRUE(promoted_layers(graph, half, 0).empty()) << "weights are of 16 bits";
}

/// Shards of weights are gathered in 16 bits.
TEST(Promotion, FullyShardedWeightsPromoteNothing) {
  const Graph graph = one_mlp();
  EXPECT_FALSE(planned(graph, training_in("bf16"), "data:2; zero=2").wide.empty());
  EXPECT_TRUE(planned(graph, training_in("bf16"), "data:2; zero=3").wide.empty());
}

TEST(Promotion, ConvolutionsAndBatchNormsStayIn16Bits) {
  const Graph graph = load_model("resnet50", {});
  const std::vector<bool> wide = promoted_layers(graph, training_in("fp16"), 0);
  EXPECT_EQ(std::count(wide.begin(), wide.end(), true), 0);
}

/// What a linear reads is cast before it, its gradient back behind it; of a sum the gradient is
/// cast for the term in 16 bits.
TEST(Promotion, ReadersCastWhatTheyTakeOtherwise) {
  const Graph graph = one_mlp();
  const Plan plan = planned(graph, training_in("bf16"));
  const auto items = casts_of(plan.stages.front());
  const double values = 8 * 16 * 32;
  const auto layer_of = [](const Item& item) { return work_of(item).layer; };
  ASSERT_EQ(items.size(), 4U);
  EXPECT_EQ(layer_of(*items[0]), id_of(graph, "before")) << "the network's input is of 16 bits";
  EXPECT_EQ(layer_of(*items[1]), id_of(graph, "fc1"));
  EXPECT_EQ(layer_of(*items[2]), id_of(graph, "sum"));
  EXPECT_EQ(layer_of(*items[3]), id_of(graph, "fc1"));
  for (const Item* item : items) EXPECT_EQ(work_of(*item).streamed.value, (4 + 2) * values);
  EXPECT_EQ(items[1]->phase, Phase::forward);
  EXPECT_EQ(items[2]->phase, Phase::backward);
}

/// One that fuses kernels makes what fc1 alone reads in 16 bits, and nothing is cast for it.
TEST(Promotion, ACompilerCastsInTheKernelBefore) {
  const Graph graph = one_mlp();
  const Plan plan = planned(graph, training_in("bf16", autocast(true)));
  EXPECT_FALSE(plan.is_wide(id_of(graph, "norm")));
  EXPECT_TRUE(plan.is_wide(id_of(graph, "before")));
  for (const Item* item : casts_of(plan.stages.front())) {
    EXPECT_EQ(work_of(*item).layer, id_of(graph, "before"));
  }
}

TEST(Promotion, WorkedNumber) {
  const Graph graph = load_model("vit_b", {});
  const Plan plan = planned(graph, training_in("bf16"));
  std::vector<std::string> wide, casting;
  const auto in_block = [](const std::string& name) { return name.starts_with("layers.5."); };
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (in_block(graph[id].name) && plan.is_wide(id)) wide.push_back(graph[id].name);
  }
  for (const Item* item : casts_of(plan.stages.front())) {
    const std::string& name = graph[work_of(*item).layer].name;
    if (item->phase == Phase::forward && in_block(name)) casting.push_back(name);
  }
  EXPECT_EQ(wide.size(), 4U);
  EXPECT_EQ(casting.size(), 4U);
}

/// 16 x 32 values of 8 samples: a norm streams fp32, a sum of one term each 2 + 4 and 4 bytes.
TEST(Promotion, KernelsStreamWhatTheyTouch) {
  const Graph graph = one_mlp();
  const Training training = training_in("bf16");
  const Plan plan = planned(graph, training), narrow = planned(graph, training_in("bf16", {}));
  const double values = 8 * 16 * 32;
  const auto traffic = [&](const char* name, const Plan& of, Pass pass) {
    const LayerId id = id_of(graph, name);
    return demand(graph[id], of.pieces[id], pass, of.training).traffic.value;
  };
  EXPECT_EQ(traffic("sum", plan, Pass::forward), (2 + 4 + 4) * values);
  EXPECT_EQ(traffic("sum", narrow, Pass::forward), (2 + 2 + 2) * values);
  EXPECT_NEAR(traffic("norm", plan, Pass::forward), 2 * traffic("norm", narrow, Pass::forward),
              8 * 32 * 4);
  EXPECT_EQ(traffic("relu", plan, Pass::forward), traffic("relu", narrow, Pass::forward));
  const LayerId fc1 = id_of(graph, "fc1");
  EXPECT_EQ(demand(graph[fc1], plan.pieces[fc1], Pass::forward, training).m, 8 * 16);
}

/// A function that is written out keeps three values of its operations beside its input.
TEST(Promotion, AFunctionWrittenOutIsFp32AndKeepsMore) {
  const Graph graph = load_model("gpt2", {});
  Framework fused = autocast(), each = autocast();
  each.composed = {"gelu"};
  const LayerId act = id_of(graph, "layers.3.act");
  EXPECT_FALSE(planned(graph, training_in("bf16", fused)).is_wide(act));
  const Plan plan = planned(graph, training_in("bf16", each));
  EXPECT_TRUE(plan.is_wide(act));
  const Bytes kept = liveness(graph, plan, 0).kept,
              else_kept = liveness(graph, planned(graph, training_in("bf16", fused)), 0).kept;
  const auto values = static_cast<double>(graph[act].output.elements() * 8);
  EXPECT_NEAR((kept - else_kept).value, 12 * values * 3 * 4, values);
}

/// The sums stay for the norms in fp32, and products keep casts: ViT-B holds half as much again.
TEST(Promotion, TakesMemory) {
  const Graph graph = load_model("vit_b", {});
  const auto peak = [&](const Framework& framework) {
    const Plan plan = planned(graph, training_in("bf16", framework));
    return liveness(graph, plan, 0).peak.total().value;
  };
  Framework casts;
  casts.fp32_weights = true;
  casts.fuses = false;
  EXPECT_GT(peak(autocast()), 1.15 * peak(casts));
  EXPECT_LT(peak(autocast()), 1.6 * peak(casts));
}

}  // namespace promotion_test
}  // namespace oracle
