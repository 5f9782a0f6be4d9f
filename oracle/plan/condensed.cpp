#include "oracle/plan/condensed.h"

#include <algorithm>

namespace oracle {
namespace {

constexpr std::size_t kKept = 4;  // three and the last

/// Consecutive layers of one block.
struct Block {
  LayerId first = 0, end = 0;
  LayerId size() const { return end - first; }
};

std::vector<Block> blocks_of(const Graph& graph) {
  std::vector<Block> blocks;
  for (LayerId id = 1; id < graph.size(); ++id) {
    const std::string_view name = block_of(graph[id].name);
    const bool goes_on = !blocks.empty() && blocks.back().end == id && !name.empty() &&
                         block_of(graph[id - 1].name) == name;
    if (goes_on) {
      ++blocks.back().end;
    } else if (!name.empty()) {
      blocks.push_back({id, id + 1});
    }
  }
  return blocks;
}

/// Whether `later`, so many layers after `earlier`, is the same; `begin`: of the block of
/// `earlier`.
bool is_like(const Graph& graph, LayerId earlier, LayerId later, LayerId begin) {
  const Layer &one = graph[earlier], &other = graph[later];
  const LayerId distance = later - earlier;
  const bool same = one.kind == other.kind && one.variant == other.variant &&
                    one.input == other.input && one.output == other.output &&
                    one.inputs.size() == other.inputs.size() &&
                    one.weights.size() == other.weights.size() &&
                    one.stored_otherwise == other.stored_otherwise &&
                    graph.written[earlier].all() == graph.written[later].all();
  if (!same) return false;
  for (std::size_t i = 0; i < one.inputs.size(); ++i) {
    const bool outside = one.inputs[i] < begin && one.inputs[i] == other.inputs[i];
    if (!outside && one.inputs[i] + distance != other.inputs[i]) return false;
  }
  for (std::size_t w = 0; w < one.weights.size(); ++w) {
    const LayerId owner = one.weights[w].owner, others = other.weights[w].owner;
    const bool alike = owner == others || (owner != 0 && owner + distance == others);
    if (!alike || one.weights[w].elements != other.weights[w].elements) return false;
  }
  return true;
}

bool are_alike(const Graph& graph, const Block& one, const Block& next) {
  if (one.end != next.first || one.size() != next.size()) return false;
  for (LayerId i = 0; i < one.size(); ++i) {
    if (!is_like(graph, one.first + i, next.first + i, one.first)) return false;
  }
  return true;
}

/// By layer, the one that stands for it.
std::vector<LayerId> stand_ins(const Graph& graph) {
  std::vector<LayerId> stand_in(graph.size());
  for (LayerId id = 0; id < graph.size(); ++id) stand_in[id] = id;
  const std::vector<Block> blocks = blocks_of(graph);
  for (std::size_t first = 0; first < blocks.size();) {
    std::size_t end = first + 1;
    while (end < blocks.size() && are_alike(graph, blocks[end - 1], blocks[end])) ++end;
    for (std::size_t b = first + kKept - 1; b + 1 < end; ++b) {
      const Block& third = blocks[first + kKept - 2];
      for (LayerId i = 0; i < third.size(); ++i) stand_in[blocks[b].first + i] = third.first + i;
    }
    first = end;
  }
  return stand_in;
}

}  // namespace

Condensed condense(const Graph& graph) {
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
    for (LayerId& input : layer.inputs) input = made.of[input];
    for (Weight& weight : layer.weights) weight.owner = made.of[weight.owner];
    made.graph.consumers.emplace_back();
    for (const LayerId input : layer.inputs) {
      std::vector<LayerId>& readers = made.graph.consumers[input];
      if (readers.empty() || readers.back() != made.of.back()) readers.push_back(made.of.back());
    }
  }
  return made;
}

bool names_no_layers(const Strategy& strategy) {
  const std::string& again = strategy.recompute;
  return strategy.rules.empty() && (again.empty() || again == "full" || again == "selective");
}

bool is_planned_alike(const Condensed& condensed, const Plan& plan) {
  LayerId block = 0;
  for (LayerId id = 0; id < condensed.graph.size(); ++id) {
    if (condensed.times[id] == 1) continue;
    // As long as the third block is, the second lies before it.
    if (block == 0 || condensed.times[id - 1] == 1) {
      block = id;
      while (block < condensed.graph.size() && condensed.times[block] > 1) ++block;
      block -= id;
    }
    if (plan.assignment.effects[id] != plan.assignment.effects[id - block]) return false;
    if (plan.is_fused(id) != plan.is_fused(id - block)) return false;
  }
  return true;
}

}  // namespace oracle
