#include "oracle/search/per_layer/per_layer.h"

#include <gtest/gtest.h>

#include "oracle/base/pattern.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace per_layer_per_layer_test {

SearchRequest request_of(std::int64_t ranks, std::int64_t batch) {
  SearchRequest request;
  request.ranks = ranks;
  request.training = {batch, precision_named("fp32"), optimizer_named("momentum")};
  return request;
}

TEST(FinestMeshes, AreTheFactorizationsIntoAsManyAxesAsThereMayBe) {
  using Meshes = std::vector<std::vector<std::int64_t>>;
  EXPECT_EQ(per_layer::finest_meshes(8, 3), (Meshes{{2, 2, 2}}));
  EXPECT_EQ(per_layer::finest_meshes(6, 3), (Meshes{{2, 3}, {3, 2}}));
  EXPECT_EQ(per_layer::finest_meshes(7, 3), (Meshes{{7}}));
  EXPECT_EQ(per_layer::finest_meshes(64, 3).size(), 10U);
  EXPECT_EQ(per_layer::finest_meshes(512, 3).size(), 28U);
  EXPECT_TRUE(per_layer::finest_meshes(1, 3).empty());
}

TEST(Coarsened, JoinsNeighboursThatEveryLayerCutsAlike) {
  const auto text = [](std::string_view strategy) {
    return to_text(per_layer::coarsened(parse_strategy(strategy)));
  };
  EXPECT_EQ(text("data:2,data:4; fc=filter:2,filter:4"), "data:8; fc=filter:8");
  EXPECT_EQ(text("data:2,data:4; fc=data:2,filter:4"), "data:2,data:4; fc=data:2,filter:4");
}

/// Into how many parts samples, and all else, are cut.
std::pair<std::int64_t, std::int64_t> parts_of(const CutRun& run) {
  std::int64_t samples = 1, others = 1;
  for (const MeshAxis& axis : run.mesh) {
    if (axis.cut != Cut::none) (axis.cut == Cut::sample ? samples : others) *= axis.degree;
  }
  return {samples, others};
}

/// Krizhevsky 2014: where links are slow against the device, convolutions are cut by sample, and
/// the large dense layers by features, so that their weights are not exchanged. Of a mesh with more
/// axes than one a part of the last convolutions may be cut by features as well.
void expect_one_weird_trick(const Graph& graph, const PerLayerAnswer& answer) {
  ASSERT_TRUE(answer.best.has_value());
  for (const CutRun& run : answer.runs) {
    const auto [samples, others] = parts_of(run);
    for (LayerId id = run.first; id <= run.last; ++id) {
      if (graph[id].mixing != Mixing::contraction) continue;
      const bool is_convolution = graph[id].kind->name == "convolution";
      EXPECT_EQ(samples > others, is_convolution) << graph[id].name;
      EXPECT_TRUE(is_convolution || samples == 1) << graph[id].name;
    }
  }
}

/// On a mesh of one axis whose ranks share all work, the trick is found to the letter.
TEST(PerLayer, OnOneAxisConvolutionsAreBySampleAndDenseLayersByFeatures) {
  const Cluster cluster = load_cluster("cloud-10gbe");
  for (const char* model : {"alexnet", "vgg16"}) {
    const Graph graph = load_model(model);
    per_layer::MeshRequest request;
    request.degrees = {32};
    request.training = request_of(32, 32 * 32).training;
    request.cuts = {Cut::sample, Cut::filter, Cut::channel};
    const per_layer::MeshAnswer answer = per_layer::search_mesh(graph, cluster, Profile{}, request);
    ASSERT_TRUE(answer.best.has_value());
    EXPECT_TRUE(answer.proven);
    const Strategy& best = answer.best->strategy;
    for (const Layer& layer : graph.layers) {
      if (layer.mixing != Mixing::contraction) continue;
      Cut cut = best.mesh[0].cut;
      for (const LayerRule& rule : best.rules) {
        if (matches(rule.pattern, layer.name)) cut = rule.cuts[0];
      }
      const bool by_sample = layer.kind->name == "convolution";
      EXPECT_EQ(cut == Cut::sample, by_sample) << model << ' ' << layer.name;
    }
    const Evaluation trick =
        evaluate(graph, cluster, Profile{}, parse_strategy("conv*=data:32; fc*=filter:32"),
                 request.training);
    EXPECT_LE(answer.best->step, trick.fits()->step.time) << model;
  }
}

TEST(PerLayer, RediscoversOneWeirdTrickOnVgg16) {
  const Graph graph = load_model("vgg16");
  const PerLayerAnswer answer =
      search_per_layer(graph, load_cluster("cloud-10gbe"), Profile{}, request_of(8, 8 * 32));
  expect_one_weird_trick(graph, answer);
  EXPECT_GT(answer.gain, 0.2);
}

TEST(PerLayer, SaysWhatEvaluateSays) {
  const Graph graph = load_model("alexnet");
  const Cluster cluster = load_cluster("dgx-h100");
  const SearchRequest request = request_of(8, 256);
  const PerLayerAnswer answer = search_per_layer(graph, cluster, Profile{}, request);
  ASSERT_TRUE(answer.best.has_value());
  const Strategy pasted = parse_strategy(to_text(*answer.best));
  const Evaluation evaluation = evaluate(graph, cluster, Profile{}, pasted, request.training);
  EXPECT_EQ(evaluation.fits()->step.time, answer.step);
  EXPECT_LE(answer.bound, answer.step);
  EXPECT_DOUBLE_EQ(answer.gap, answer.step / answer.bound - 1);
  EXPECT_DOUBLE_EQ(answer.gain, answer.named.candidates.front().step.time / answer.step - 1);
  EXPECT_EQ(answer.named.considered, search(graph, cluster, Profile{}, request).considered);
}

TEST(PerLayer, IsTheSameOnAnyNumberOfThreads) {
  const Graph graph = load_model("alexnet");
  const Cluster cluster = load_cluster("abci");
  SearchRequest request = request_of(16, 512);
  request.threads = 1;
  const PerLayerAnswer one = search_per_layer(graph, cluster, Profile{}, request);
  request.threads = 3;
  const PerLayerAnswer three = search_per_layer(graph, cluster, Profile{}, request);
  EXPECT_EQ(to_text(*one.best), to_text(*three.best));
  EXPECT_EQ(one.step, three.step);
  EXPECT_EQ(one.bound, three.bound);
  EXPECT_EQ(one.evaluations, three.evaluations);
}

TEST(PerLayer, HasNoAnswerWhereNothingFits) {
  Cluster cluster = flat_cluster();
  cluster.device.memory = Bytes{1e3};
  const Graph chain = dense_chain({64, 64, 64});
  const PerLayerAnswer answer = search_per_layer(chain, cluster, Profile{}, request_of(4, 16));
  EXPECT_FALSE(answer.best.has_value());
  EXPECT_FALSE(answer.named.refused.empty());
  EXPECT_TRUE(answer.runs.empty());
}

}  // namespace per_layer_per_layer_test
}  // namespace oracle
