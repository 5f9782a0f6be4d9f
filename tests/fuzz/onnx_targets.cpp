// Exports: bytes that libraries outside of ours decode first.

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/model_reader.h"
#include "oracle/io/models/model_writer.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

constexpr LayerId kMostPricedLayers = 200;

/// What is imported can be written down and read again.
void check_written(const Graph& graph) {
  const Graph again = read_model(json::parse(write_model(graph), "written.json"));
  ensure(again.size() == graph.size() && again.parameters() == graph.parameters() &&
             again.flops(Pass::forward) == graph.flops(Pass::forward),
         "a network that is written down as another");
}

}  // namespace

void onnx_file(std::string_view bytes) {
  if (!oracle::onnx::available()) return;
  static const Cluster machine = load_cluster("dgx-1-v100");
  static const Strategy two_replicas = parse_strategy("data:2");
  for (const bool skip_unknown : {false, true}) {
    ModelOverrides overrides;
    overrides.skip_unknown = skip_unknown;
    Graph graph;
    if (!reads([&] { graph = read_onnx(bytes, "seed.onnx", overrides); })) continue;
    ensure(graph.parameters() >= 0 && graph.flops(Pass::forward) >= 0, "a network that owes work");
    if (graph.size() > kMostPricedLayers) continue;
    check_written(graph);
    check_engine(graph, machine, two_replicas);
  }
}

}  // namespace oracle::fuzz
