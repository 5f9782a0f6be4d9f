#include <algorithm>

#include "oracle/evaluate/evaluation.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/io/frameworks/launch_reader.h"
#include "oracle/io/jobs/job.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/models/model_writer.h"
#include "oracle/io/models/transformers/config_reader.h"
#include "oracle/io/published/published_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

constexpr LayerId kMostPricedLayers = 200;

const Strategy& two_replicas() {
  static const Strategy strategy = parse_strategy("data:2");
  return strategy;
}

json::Document document_of(std::string_view text) { return json::parse(text, "seed.json"); }

/// Written down and read again, each layer is what it was.
void check_writing(const Graph& graph) {
  const Graph again = read_model(json::parse(write_model(graph), "written.json"));
  ensure(again.size() == graph.size() && again.consumers == graph.consumers,
         "a network whose text has other layers");
  for (LayerId id = 0; id < graph.size(); ++id) {
    ensure(again[id].name == graph[id].name && again[id].kind == graph[id].kind &&
               again[id].output == graph[id].output && again[id].weights == graph[id].weights &&
               again[id].flops(Pass::forward) == graph[id].flops(Pass::forward),
           "a layer whose text means another");
  }
}

/// A file of ours, or a configuration of a transformer, which reads short texts or its images.
Graph network_of(const json::Document& document) {
  if (!transformers::is_config(document.root)) return read_model(document);
  constexpr std::int64_t kShort = 16;
  return transformers::read_transformer(document, document.name, {kShort});
}

}  // namespace

void model(std::string_view text) {
  static const Cluster machine = load_cluster("dgx-1-v100");
  Graph graph;
  if (!reads([&] { graph = network_of(document_of(text)); })) return;
  ensure(graph.parameters() >= 0 && graph.flops(Pass::forward) >= 0, "a network that owes work");
  if (graph.size() > kMostPricedLayers) return;
  check_engine(graph, machine, two_replicas());
  check_writing(graph);
}

void job(std::string_view text) {
  Job read;
  if (!reads([&] { read = read_job(text, "seed.log"); })) return;
  const Strategy strategy = parse_strategy(read.strategy);
  ensure(strategy.ranks() == read.ranks, "a strategy of other ranks than the job's");
  ensure(read.batch % std::max<std::int64_t>(strategy.micro_batches, 1) == 0,
         "micro-batches that are not whole");
  for (const Seconds step : read.steps) ensure(step.value > 0, "a step that took no time");
  constexpr std::int64_t kShort = 16;
  ModelOverrides overrides;
  overrides.sequence = kShort;
  reads([&] { ensure(model_of(read.network, overrides).size() > 0, "a network of nothing"); });
}

void device(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  static const Cluster like = load_cluster("dgx-1-v100");
  Cluster machine = like;
  if (!reads([&] { machine.device = read_device(document_of(text)); })) return;
  check_engine(graph, machine, two_replicas());
}

void cluster(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  Cluster machine;
  if (!reads([&] { machine = read_cluster(document_of(text)); })) return;
  ensure(machine.ranks() >= 1 && machine.ranks() <= kMaxRanks, "a cluster of absurd size");
  check_engine(graph, machine, two_replicas());
}

void framework(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  static const Cluster machine = load_cluster("dgx-1-v100");
  Training training{64, precision_named("fp16"), optimizer_named("sgd")};
  reads([&] { read_launch_lines(document_of(text)); });
  if (!reads([&] { training.framework = read_framework(document_of(text)); })) return;
  const Evaluation evaluation = evaluate(graph, machine, {}, two_replicas(), training);
  ensure(!evaluation.fits() || evaluation.fits()->step.time.value > 0, "a step without a length");
}

void published(std::string_view text) {
  reads([&] {
    for (const PublishedRun& run : read_published(document_of(text)).runs) {
      ensure(run.step.value > 0 && run.batch >= 1, "a run that took no time");
    }
  });
}

}  // namespace oracle::fuzz
