#include "oracle/plan/recompute.h"

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {
namespace {

bool is_selective(const Layer& layer) {
  constexpr std::array<std::string_view, 3> kKinds = {"matmul", "softmax", "dropout"};
  return std::find(kKinds.begin(), kKinds.end(), layer.kind->name) != kKinds.end();
}

bool is_meant(const Layer& layer, std::string_view what) {
  if (layer.kind->is_loss) return false;
  if (what == "full") return true;
  return what == "selective" ? is_selective(layer) : matches(what, layer.name);
}

}  // namespace

Recomputation recomputation(const Graph& graph, std::string_view what) {
  Recomputation made;
  if (what.empty()) return made;
  made.segment_of.assign(graph.size(), 0);
  std::string_view block;
  bool open = false;
  for (LayerId id = 1; id < graph.size(); ++id) {
    const std::string_view own = block_of(graph[id].name);
    if (own != block) open = false;
    block = own;
    if (own.empty() || !is_meant(graph[id], what)) continue;
    if (!open) made.segments.push_back({id, id});
    open = true;
    made.segments.back().last = id;
    made.segment_of[id] = static_cast<std::uint32_t>(made.segments.size());
  }
  // One kernel of attention keeps no scores: it does of itself what "selective" asks.
  if (made.segments.empty() && what == "selective") return {};
  if (made.segments.empty()) {
    throw InputError("--strategy",
                     "recompute=" + std::string(what) + " means no layer of a block of " +
                         on_one_line(graph.name),
                     "write recompute=full, or a pattern of its layers' names");
  }
  return made;
}

}  // namespace oracle
