// How fast is a search over the variants of many strategies? Figures of oracle/search/README.md.

#include <benchmark/benchmark.h>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/search/search.h"

namespace oracle {
namespace {

SearchRequest request_of(std::int64_t ranks, const Cluster& cluster) {
  SearchRequest request;
  request.ranks = ranks;
  request.training = {32 * ranks, precision_named("fp32"), optimizer_named("momentum")};
  tune(cluster.device, {}, request.space);
  return request;
}

/// What a family of ResNet-50 costs before its first variant.
void prepare_family(benchmark::State& state, const char* strategy_text) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  const Strategy strategy = parse_strategy(strategy_text);
  const SearchRequest request = request_of(strategy.ranks(), cluster);
  Family family({graph, cluster, profile});
  for (auto _ : state) {
    family.plan(strategy, request.training);
    family.measure({&strategy.schedule, 1});
  }
}
BENCHMARK_CAPTURE(prepare_family, data_8, "data:8")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(prepare_family, data_256_filter_4, "data:256,filter:4")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(prepare_family, data_256_pipeline_4, "data:256,pipeline:4")
    ->Unit(benchmark::kMicrosecond);

/// Every number of each variant of one family of ResNet-50, nothing left out; the counter is how
/// many evaluations a core does in a second, the preparation included.
void evaluate_variants(benchmark::State& state, const char* strategy_text) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  const Strategy strategy = parse_strategy(strategy_text);
  const SearchRequest request = request_of(strategy.ranks(), cluster);
  const std::vector<Variant> variants = variants_of(strategy, request.base, request.space);
  Family family({graph, cluster, profile});
  for (auto _ : state) {
    family.plan(strategy, request.training);
    family.measure(request.space.schedules);
    for (const Variant& variant : variants) {
      family.choose(variant);
      benchmark::DoNotOptimize(family.step());
    }
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(variants.size()));
}
BENCHMARK_CAPTURE(evaluate_variants, data_8, "data:8")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_variants, data_1024, "data:1024")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_variants, data_256_filter_4, "data:256,filter:4")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_variants, data_256_pipeline_4, "data:256,pipeline:4")
    ->Unit(benchmark::kMicrosecond);

/// The tuned space of ResNet-50 on 1,024 GPUs: threads, whether to prune, candidates to keep.
void search_a_million(benchmark::State& state) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  SearchRequest request = request_of(1024, cluster);
  request.threads = static_cast<unsigned>(state.range(0));
  request.prune = state.range(1) != 0;
  request.keep = static_cast<std::size_t>(state.range(2));
  Ranking ranking;
  for (auto _ : state) ranking = search(graph, cluster, Profile{}, request);
  state.counters["strategies"] = static_cast<double>(ranking.considered);
  state.counters["fitting"] = static_cast<double>(ranking.fitting);
  state.counters["priced"] = static_cast<double>(ranking.priced);
  state.SetItemsProcessed(state.iterations() * ranking.considered);
}
BENCHMARK(search_a_million)
    ->ArgNames({"threads", "prune", "keep"})
    ->Args({1, 0, 0})
    ->Args({2, 0, 0})
    ->Args({1, 1, 0})
    ->Args({2, 1, 0})
    ->Args({1, 1, 10})
    ->Args({2, 1, 10})
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime()
    ->UseRealTime();

}  // namespace
}  // namespace oracle
