// Layers that do not depend on each other may stand in any order: the same work, the same
// transfers.
//
// The order of a graph decides when things run, so with overlap and pipelines the length of a step
// may depend on it; what is computed and sent may not, and alone on a device neither may the step.

#include <algorithm>
#include <map>
#include <tuple>

#include "oracle/cost/price.h"
#include "tests/properties/differences.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace reorder_test {

/// What `graph` has, layer after layer in `order`; `place`: of each layer, where it comes to stand.
Graph in_order(const Graph& graph, const std::vector<LayerId>& order,
               const std::vector<LayerId>& place) {
  Graph other = graph;
  for (LayerId id = 0; id < graph.size(); ++id) {
    other.layers[id] = graph[order[id]];
    other.written[id] = graph.written[order[id]];
    for (LayerId& input : other.layers[id].inputs) input = place[input];
    for (Weight& weight : other.layers[id].weights) weight.owner = place[weight.owner];
    other.consumers[id] = graph.consumers[order[id]];
    for (LayerId& reader : other.consumers[id]) reader = place[reader];
    std::sort(other.consumers[id].begin(), other.consumers[id].end());
  }
  find_blocks(other);
  other.runs.clear();
  other.alike.clear();
  return other;
}

/// Another topological order. The first reader of the network's input stays the first.
Graph reordered(const Graph& graph, Random& random) {
  std::vector<LayerId> order = {0}, place(graph.size(), 0);
  std::vector<LayerId> ready = {1};
  std::vector<std::size_t> missing(graph.size());
  for (LayerId id = 1; id < graph.size(); ++id) missing[id] = graph[id].inputs.size();
  while (!ready.empty()) {
    const auto choice =
        ready.begin() + random.whole(0, static_cast<std::int64_t>(ready.size()) - 1);
    const LayerId id = *choice;
    ready.erase(choice);
    place[id] = static_cast<LayerId>(order.size());
    order.push_back(id);
    for (const LayerId reader : graph.consumers[id]) {
      const auto& inputs = graph[reader].inputs;
      missing[reader] -= static_cast<std::size_t>(std::count(inputs.begin(), inputs.end(), id));
      if (missing[reader] == 0) ready.push_back(reader);
    }
  }
  return in_order(graph, order, place);
}

bool has_same_order(const Graph& a, const Graph& b) {
  for (LayerId id = 0; id < a.size(); ++id) {
    if (a[id].name != b[id].name) return false;
  }
  return true;
}

/// Bytes by what moves them.
using Volume = std::map<std::tuple<Collective, AxisSet, Payload>, double>;

Volume volume_of(const Plan& plan) {
  Volume bytes;
  for (const Item& item : plan.stages[0].items) {
    if (const auto* moved = std::get_if<Transfer>(&item.what)) {
      bytes[{moved->collective, moved->axes, moved->payload}] += moved->bytes.value;
    }
  }
  return bytes;
}

/// The first thing that must be the same and is not, or "".
std::string broken(const Evaluation& own, const Evaluation& other) {
  const Fits &a = *own.fits(), &b = *other.fits();
  const auto same = [](Seconds one, Seconds two) { return is_close(one.value, two.value, 1e-9); };
  const Breakdown &parts = a.timeline.breakdown, &others = b.timeline.breakdown;
  if (!same(parts.forward, others.forward)) return "forward";
  if (!same(parts.update, others.update)) return "update";
  if (!has_same_bytes(volume_of(plan_of(own)), volume_of(plan_of(other)))) return "transfers";
  return plan_of(own).ranks() == 1 && !same(a.step.time, b.step.time) ? "step" : "";
}

TEST(Reordering, ChangesNeitherWorkNorTransfers) {
  int moved = 0, compared = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& own) {
    if (plan_of(own).stages.size() > 1) return;
    // What is computed beside a copy to the host depends on the order.
    if (drawn.strategy.offload != Offload{}) return;
    Random random(drawn.seed);
    Case other = drawn;
    other.graph = reordered(drawn.graph, random);
    other.cluster.device.memory = other.cluster.device.memory * 2;
    moved += has_same_order(drawn.graph, other.graph) ? 0 : 1;
    ++compared;
    const Evaluation evaluation = evaluate(other, Detail::events);
    ASSERT_NE(evaluation.fits(), nullptr);
    EXPECT_EQ(broken(own, evaluation), "");
  });
  EXPECT_GE(compared, enough(kLeastFitting / 2));
  EXPECT_GE(moved, enough(300));
}

TEST(Reordering, SeesAPassThatTakesLongerAndATransferLess) {
  int longer = 0, less = 0, tried = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& own) {
    if (plan_of(own).stages.size() > 1) return;
    ++tried;
    Case slower = drawn;
    const auto last = static_cast<std::int64_t>(drawn.graph.size()) - 1;
    Layer& layer = slower.graph.layers[static_cast<LayerId>(Random(drawn.seed).whole(1, last))];
    layer.work[static_cast<std::size_t>(Pass::forward)].output_touches += 1;
    const Evaluation other = evaluate(slower, Detail::events);
    longer += other.fits() != nullptr && !broken(own, other).empty() ? 1 : 0;
    Evaluation changed = own;
    std::vector<Item>& items = changed.plan->stages[0].items;
    const auto moves = [](const Item& item) { return std::holds_alternative<Transfer>(item.what); };
    const auto transfer = std::find_if(items.begin(), items.end(), moves);
    if (transfer == items.end()) return;
    items.erase(transfer);
    EXPECT_EQ(broken(own, changed), "transfers");
    ++less;
  });
  EXPECT_GE(longer, tried / 2);
  EXPECT_GE(less, tried / 2);
}

}  // namespace reorder_test
}  // namespace oracle
