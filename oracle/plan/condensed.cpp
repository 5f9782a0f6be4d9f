#include "oracle/plan/condensed.h"

#include <algorithm>

namespace oracle {
namespace {

constexpr LayerId kKept = 4;  // three and the last
/// Of fewer blocks, which a host that launches kernels may not have come to run alike, all are
/// kept.
constexpr LayerId kFewBlocks = 8;

/// By layer, the one that stands for it.
std::vector<LayerId> stand_ins(const Graph& graph) {
  std::vector<LayerId> stand_in(graph.size());
  for (LayerId id = 0; id < graph.size(); ++id) stand_in[id] = id;
  for (const BlockRun& run : graph.runs) {
    if (run.count < kFewBlocks) continue;
    const LayerId third = run.first + (kKept - 2) * run.size;
    for (LayerId block = kKept - 1; block + 1 < run.count; ++block) {
      for (LayerId i = 0; i < run.size; ++i) {
        stand_in[run.first + block * run.size + i] = third + i;
      }
    }
  }
  return stand_in;
}

}  // namespace

std::optional<Condensed> condense(const Graph& graph) {
  const bool leaves_out = std::any_of(graph.runs.begin(), graph.runs.end(),
                                      [](const BlockRun& run) { return run.count >= kFewBlocks; });
  if (!leaves_out) return std::nullopt;
  Condensed made;
  const std::vector<LayerId> stand_in = stand_ins(graph);
  made.graph.name = graph.name;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (stand_in[id] != id) {
      made.of.push_back(made.of[stand_in[id]]);
      ++made.times[made.of.back()];
      continue;
    }
    made.of.push_back(made.graph.size());
    made.times.push_back(1);
    Layer& layer = made.graph.layers.emplace_back(graph[id]);
    made.graph.written.push_back(graph.written[id]);
    made.graph.blocks.push_back(graph.block(id));
    for (LayerId& input : layer.inputs) input = made.of[input];
    for (Weight& weight : layer.weights) weight.owner = made.of[weight.owner];
    made.graph.consumers.emplace_back();
    for (const LayerId input : layer.inputs) {
      std::vector<LayerId>& readers = made.graph.consumers[input];
      if (readers.empty() || readers.back() != made.of.back()) readers.push_back(made.of.back());
    }
  }
  for (BlockRun run : graph.runs) {
    run.first = made.of[run.first];
    if (run.count >= kFewBlocks) run.count = kKept;
    made.graph.runs.push_back(run);
  }
  made.graph.alike = layers_alike(made.graph);
  return made;
}

bool names_no_blocks(const Strategy& strategy) {
  // Names of layers in blocks that are alike differ in a number alone.
  const bool has_numbers = strategy.recompute.find_first_of("0123456789") != std::string::npos;
  return strategy.rules.empty() && strategy.offload.blocks == 0 && !has_numbers;
}

bool is_planned_alike(const Condensed& condensed, const Plan& plan) {
  for (const BlockRun& run : condensed.graph.runs) {
    const LayerId third = run.first + 2 * run.size;
    if (run.count < kKept || condensed.times[third] == 1) continue;
    for (LayerId id = third; id < third + run.size; ++id) {
      if (!plan.treats_alike(id - run.size, id)) return false;
    }
  }
  return true;
}

}  // namespace oracle
