#include "oracle/graph/blocks.h"

#include <algorithm>
#include <optional>
#include <span>

#include "oracle/graph/graph.h"

namespace oracle {
namespace {

constexpr std::size_t kMostInTurn = 8;

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
  const bool same =
      one.kind == other.kind && one.variant == other.variant && one.input == other.input &&
      one.output == other.output && one.inputs.size() == other.inputs.size() &&
      one.weights.size() == other.weights.size() &&
      one.stored_otherwise == other.stored_otherwise && one.linear == other.linear &&
      one.frozen == other.frozen && graph.written[earlier].all() == graph.written[later].all();
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

/// Blocks that lie side by side, from the first to before the last.
std::optional<Block> in_a_row(std::span<const Block> blocks) {
  for (std::size_t b = 1; b < blocks.size(); ++b) {
    if (blocks[b - 1].end != blocks[b].first) return std::nullopt;
  }
  return Block{blocks.front().first, blocks.back().end};
}

/// So many blocks in a row, as often as they come from the first on.
BlockRun run_of(const Graph& graph, std::span<const Block> blocks, std::size_t many) {
  BlockRun run{blocks.front().first, 0, 1};
  std::optional<Block> one = in_a_row(blocks.first(many));
  run.size = one ? one->size() : 0;
  for (std::size_t b = many; one && b + many <= blocks.size(); b += many) {
    const std::optional<Block> next = in_a_row(blocks.subspan(b, many));
    if (!next || !are_alike(graph, *one, *next)) break;
    ++run.count;
    one = next;
  }
  return run;
}

/// Whether features stay together alike in both layers and in what they read.
bool have_like_grains(const Graph& graph, const Layer& one, const Layer& other) {
  return one.grain == other.grain &&
         std::equal(one.inputs.begin(), one.inputs.end(), other.inputs.begin(),
                    [&](LayerId a, LayerId b) { return graph[a].grain == graph[b].grain; });
}

}  // namespace

std::string_view block_of(std::string_view name) {
  for (std::size_t begin = 0; begin < name.size();) {
    const std::size_t end = std::min(name.find('.', begin), name.size());
    const std::string_view part = name.substr(begin, end - begin);
    const bool number =
        !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    if (number && end < name.size()) return name.substr(0, end + 1);
    begin = end + 1;
  }
  return {};
}

std::vector<BlockRun> block_runs(const Graph& graph) {
  std::vector<BlockRun> runs;
  const std::vector<Block> all = blocks_of(graph);
  for (std::span<const Block> rest = all; !rest.empty();) {
    BlockRun longest = run_of(graph, rest, 1);
    std::size_t blocks = longest.count;
    for (std::size_t many = 2; 2 * many <= rest.size() && many <= kMostInTurn; ++many) {
      if (2 * blocks >= rest.size()) break;
      const BlockRun run = run_of(graph, rest, many);
      if (run.count < 2 || run.count * many <= blocks) continue;
      longest = run;
      blocks = run.count * many;
    }
    runs.push_back(longest);
    rest = rest.subspan(blocks);
  }
  return runs;
}

std::vector<LayerId> layers_alike(const Graph& graph) {
  std::vector<LayerId> alike(graph.size(), 0);
  for (const BlockRun& run : graph.runs) {
    for (LayerId id = run.first + 2 * run.size; id < run.end(); ++id) {
      const LayerId before = id - run.size;
      if (have_like_grains(graph, graph[before], graph[id])) alike[id] = before;
    }
  }
  return alike;
}

void find_blocks(Graph& graph) {
  graph.blocks.assign(graph.size(), 0);
  std::uint32_t number = 0;
  for (const Block& block : blocks_of(graph)) {
    ++number;
    for (LayerId id = block.first; id < block.end; ++id) graph.blocks[id] = number;
  }
  graph.runs = block_runs(graph);
  graph.alike = layers_alike(graph);
}

}  // namespace oracle
