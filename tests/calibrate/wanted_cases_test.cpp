#include "oracle/calibrate/wanted_cases.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "oracle/calibrate/kernel_table.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace wanted_cases_test {

std::variant<Plan, Infeasible> plan_of(const Graph& graph, const char* strategy,
                                       std::int64_t batch) {
  Training training;
  training.batch = batch;
  return partition(graph, parse_strategy(strategy), training, load_cluster("abci"));
}

Plan planned(const Graph& graph, const char* strategy, std::int64_t batch) {
  return std::get<Plan>(plan_of(graph, strategy, batch));
}

/// Work of the plan that a kernel does and whose key is that of no case wanted.
std::vector<std::string> uncovered(const Graph& graph, const Plan& plan) {
  std::map<KernelKey, int> keys;
  for (const LayerCase& of : wanted_cases(graph, plan).cases) {
    for (const Pass pass :
         {Pass::forward, Pass::backward_data, Pass::backward_weights, Pass::gradient_sum}) {
      KernelSample sample;
      sample.layer = of;
      sample.pass = pass;
      ++keys[key_of(sample)];
    }
  }
  std::vector<std::string> missing;
  for (const Item& item : plan.stages[0].items) {
    const Work* work = std::get_if<Work>(&item.what);
    if (work == nullptr || work->layer == kAllLayers) continue;
    if (graph[work->layer].kind->name == "further_input") continue;
    const KernelKey key =
        key_of(graph[work->layer], plan.pieces[work->layer], work->pass, plan.training);
    if (keys.count(key) == 0) missing.push_back(graph[work->layer].name);
  }
  return missing;
}

TEST(WantedCases, WorkedNumber) {
  const Graph graph = load_model("resnet50");
  const WantedCases wanted = wanted_cases(graph, planned(graph, "data:2", 8));
  const bool found = std::any_of(wanted.cases.begin(), wanted.cases.end(), [](const auto& of) {
    return to_text(of).starts_with("convolution 4:64x56x56") &&
           to_text(of).find("features=64 kernel=3") != std::string::npos;
  });
  EXPECT_TRUE(found);
  EXPECT_TRUE(wanted.not_written.empty());
  EXPECT_LT(wanted.cases.size(), 80U);  // of 176 layers
}

TEST(WantedCases, CoverEveryKernelOfSerialAndDataParallelRuns) {
  for (const char* model : {"resnet50", "vgg16", "alexnet", "mobilenet_v2", "googlenet",
                            "cosmoflow", "densenet121", "efficientnet_b0"}) {
    const Graph graph = load_model(model);
    for (const char* strategy : {"serial", "data:4"}) {
      EXPECT_TRUE(uncovered(graph, planned(graph, strategy, 16)).empty()) << model << strategy;
    }
  }
}

TEST(WantedCases, CoverWhatCutsOfFeaturesAndPositionsLeave) {
  const Graph graph = load_model("resnet50");
  for (const char* strategy : {"filter:4", "tensor:2"}) {
    EXPECT_TRUE(uncovered(graph, planned(graph, strategy, 4)).empty()) << strategy;
  }
  // A slab's share of the mean over all positions is no layer of its own.
  const Plan plan = planned(graph, "height:2", 4);
  for (const std::string& layer : uncovered(graph, plan)) EXPECT_EQ(layer, "avgpool");
  EXPECT_EQ(wanted_cases(graph, plan).not_written, std::vector<std::string>{"avgpool"});
}

Graph network(const std::string& name) {
  const bool file = name.find('_') == std::string::npos || name == "moe_shared";
  return load_model(file ? ORACLE_SOURCE_DIR "/tests/validate/models/" + name + ".json" : name);
}

TEST(WantedCases, CoverEveryKernelOfTexts) {
  int plans = 0;
  for (const char* model : {"gpt_tiny", "vit_tiny", "moe_tiny", "llama", "mla", "t5", "windows",
                            "moe", "moe_shared", "attention"}) {
    const Graph graph = network(model);
    for (const char* strategy :
         {"serial", "data:2", "data:2; zero=3", "tensor:2", "tensor_sequence:2"}) {
      const auto plan = plan_of(graph, strategy, 4);
      if (std::holds_alternative<Infeasible>(plan)) continue;
      ++plans;
      EXPECT_THAT(uncovered(graph, std::get<Plan>(plan)), testing::IsEmpty())
          << model << " " << strategy;
    }
  }
  EXPECT_GE(plans, 45);  // of 50
  for (const char* strategy : {"context:2", "ulysses:2", "serial; recompute=full"}) {
    const Graph graph = network("gpt_tiny");
    EXPECT_THAT(uncovered(graph, planned(graph, strategy, 4)), testing::IsEmpty()) << strategy;
  }
  const Graph experts = network("moe_tiny");
  EXPECT_THAT(uncovered(experts, planned(experts, "expert:2", 4)), testing::IsEmpty());
}

TEST(WantedCases, ARankOfContextIsTimedWithTheQueriesInTheMiddle) {
  const Graph graph = network("gpt_tiny");
  const auto cases = wanted_cases(graph, planned(graph, "context:2", 4)).cases;
  EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [](const LayerCase& of) {
    return to_text(of) == "attention 4:64@64+64@128+64@128 heads=4 causal=true first=32";
  }));
}

/// What differs in heads, masks or tables alone are kernels of their own.
TEST(WantedCases, KernelsOfOtherHeadsOrMasksAreOthers) {
  std::set<KernelKey> keys;
  const std::vector<std::string> texts = {
      "attention 4:64@32+64@32+64@32 heads=4",
      "attention 4:64@32+64@32+64@32 heads=2",
      "attention 4:64@32+64@32+64@32 heads=4 causal=true",
      "attention 4:64@32+64@32+64@32 heads=4 causal=true window=8",
      "attention 4:64@32+32@32+32@32 heads=4 kv_heads=2",
      "attention 4:64@32+64@48+64@48 heads=4",
      "attention 4:64@32+64@32+64@32 heads=4 within=8",
      "attention 4:64@32+64@32+64@32 heads=4 relative=8",
      "embedding 4:1@32 entries=100 features=64",
      "embedding 4:1@32 entries=200 features=64",
      "expert_dense 4:64@32 experts=2 features=64",
      "expert_dense 4:64@32 experts=4 features=64"};
  for (const std::string& text : texts) {
    KernelSample sample;
    sample.layer = parse_layer_case(text);
    EXPECT_TRUE(keys.insert(key_of(sample)).second) << text;
  }
}

TEST(WantedCases, ASlabComesWithItsHalo) {
  const Graph graph = load_model("mobilenet_v2");
  const WantedCases wanted = wanted_cases(graph, planned(graph, "height:2", 4));
  const auto depthwise = [&](const std::string& begin) {
    return std::any_of(wanted.cases.begin(), wanted.cases.end(), [&](const LayerCase& of) {
      const Shape read = layer_of(of).input, made = layer_of(of).output;
      return to_text(of).starts_with(begin) && read[Axis::height] == 5 && made[Axis::height] == 4;
    });
  };
  EXPECT_TRUE(depthwise("convolution 4:960x5x7")) << "3x3 on the upper 4 of 7 rows";
}

TEST(WantedCases, CoverRecurrentLayersInBothDirections) {
  const Graph graph = load_model(ORACLE_SOURCE_DIR "/tests/validate/models/recurrent.json");
  EXPECT_THAT(uncovered(graph, planned(graph, "data:2", 8)), testing::IsEmpty());
}

TEST(WantedCases, EachIsThereOnce) {
  const Graph graph = load_model("vgg16");
  const WantedCases wanted = wanted_cases(graph, planned(graph, "serial", 4));
  std::vector<std::string> texts;
  for (const LayerCase& of : wanted.cases) texts.push_back(to_text(of));
  std::sort(texts.begin(), texts.end());
  EXPECT_EQ(std::unique(texts.begin(), texts.end()), texts.end());
}

}  // namespace wanted_cases_test
}  // namespace oracle
