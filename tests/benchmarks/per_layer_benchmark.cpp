// How fast is the search for cuts of each layer's own on one mesh? ResNet-152 on 512 GPUs of ABCI,
// 32 samples each, three axes of 8, on one core: a second at most.

#include <benchmark/benchmark.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/search/per_layer/per_layer.h"

namespace oracle {
namespace {

void search_mesh(benchmark::State& state, const char* model, const char* cluster_name,
                 std::vector<std::int64_t> degrees) {
  const Graph graph = load_model(model);
  const Cluster cluster = load_cluster(cluster_name);
  const Profile profile;
  per_layer::MeshRequest request;
  std::int64_t ranks = 1;
  for (const std::int64_t degree : degrees) ranks *= degree;
  request.degrees = std::move(degrees);
  request.training = {32 * ranks, precision_named("fp32"), optimizer_named("momentum")};
  request.cuts = per_layer::cuts_for(graph);
  per_layer::MeshAnswer answer;
  for (auto _ : state) answer = per_layer::search_mesh(graph, cluster, profile, request);
  state.counters["evaluations"] = static_cast<double>(answer.evaluations);
  state.counters["proven"] = answer.proven ? 1 : 0;
}
BENCHMARK_CAPTURE(search_mesh, resnet152_8x8x8, "resnet152", "abci", {8, 8, 8})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_mesh, vgg16_8x8, "vgg16", "cloud-10gbe", {8, 8})
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(search_mesh, alexnet_32, "alexnet", "cloud-10gbe", {32})
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oracle
