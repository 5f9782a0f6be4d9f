// How fast is one evaluation, and a whole search? Figures of oracle/search/README.md.

#include <benchmark/benchmark.h>

#include "oracle/evaluate/family.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/search/search.h"

namespace oracle {
namespace {

Training training_of(std::int64_t batch) {
  return {batch, precision_named("fp32"), optimizer_named("momentum")};
}

/// One evaluation of ResNet-50 on so many ranks of ABCI, 32 samples each.
void evaluate_resnet50(benchmark::State& state, const char* strategy_text) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  const Profile profile;
  const Strategy strategy = parse_strategy(strategy_text);
  const Training training = training_of(32 * strategy.ranks());
  for (auto _ : state) {
    benchmark::DoNotOptimize(evaluate(graph, cluster, profile, strategy, training));
  }
}
BENCHMARK_CAPTURE(evaluate_resnet50, data_8, "data:8")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_resnet50, data_1024, "data:1024")->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_resnet50, data_256_filter_4, "data:256,filter:4")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_resnet50, data_256_spatial_4, "data:256,spatial:2x2")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_resnet50, data_256_pipeline_4, "data:256,pipeline:4")
    ->Unit(benchmark::kMicrosecond);

/// GPT-3 on 4,096 H100, one sequence a micro-batch.
struct Gpt3 {
  explicit Gpt3(const char* strategy_text) : strategy(parse_strategy(strategy_text)) {}

  Graph graph = load_model("gpt3_175b");
  Cluster cluster = load_cluster("dgx-h100");
  Profile profile{};
  Strategy strategy;
  Training training{strategy.mesh.front().degree * strategy.micro_batches, precision_named("bf16"),
                    optimizer_named("adam")};
};
constexpr const char* kGpt3Of8Stages =
    "data:64,pipeline:8,tensor:8; micro_batches=64; recompute=selective";
constexpr const char* kGpt3Of32Stages =
    "data:16,pipeline:32,tensor:8; micro_batches=128; recompute=selective";

/// One evaluation.
void evaluate_gpt3(benchmark::State& state, const char* strategy_text) {
  const Gpt3 gpt3(strategy_text);
  if (!evaluate(gpt3.graph, gpt3.cluster, gpt3.profile, gpt3.strategy, gpt3.training).fits()) {
    state.SkipWithError("does not fit");
  }
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        evaluate(gpt3.graph, gpt3.cluster, gpt3.profile, gpt3.strategy, gpt3.training));
  }
}
BENCHMARK_CAPTURE(evaluate_gpt3, of_8_stages, kGpt3Of8Stages)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(evaluate_gpt3, of_32_stages, kGpt3Of32Stages)->Unit(benchmark::kMicrosecond);

/// The same of a search, which has planned others before.
void family_of_gpt3(benchmark::State& state, const char* strategy_text) {
  const Gpt3 gpt3(strategy_text);
  Family family({gpt3.graph, gpt3.cluster, gpt3.profile});
  for (auto _ : state) {
    family.plan(gpt3.strategy, gpt3.training);
    family.measure({&gpt3.strategy.schedule, 1});
    benchmark::DoNotOptimize(family.step());
  }
}
BENCHMARK_CAPTURE(family_of_gpt3, of_8_stages, kGpt3Of8Stages)->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(family_of_gpt3, of_32_stages, kGpt3Of32Stages)->Unit(benchmark::kMicrosecond);

/// The whole space for ResNet-50 on so many GPUs, on one and two threads.
void plan_resnet50(benchmark::State& state) {
  const Graph graph = load_model("resnet50");
  const Cluster cluster = load_cluster("abci");
  SearchRequest request;
  request.ranks = state.range(0);
  request.training = training_of(32 * request.ranks);
  request.threads = static_cast<unsigned>(state.range(1));
  std::int64_t considered = 0;
  for (auto _ : state) considered = search(graph, cluster, Profile{}, request).considered;
  state.counters["strategies"] = static_cast<double>(considered);
}
BENCHMARK(plan_resnet50)
    ->Args({64, 1})
    ->Args({64, 2})
    ->Args({1024, 1})
    ->Args({1024, 2})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

}  // namespace
}  // namespace oracle
