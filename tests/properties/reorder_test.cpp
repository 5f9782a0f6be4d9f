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
  Graph other = graph;
  for (LayerId id = 0; id < graph.size(); ++id) {
    other.layers[id] = graph[order[id]];
    for (LayerId& input : other.layers[id].inputs) input = place[input];
    other.consumers[id] = graph.consumers[order[id]];
    for (LayerId& reader : other.consumers[id]) reader = place[reader];
    std::sort(other.consumers[id].begin(), other.consumers[id].end());
  }
  return other;
}

bool has_same_order(const Graph& a, const Graph& b) {
  for (LayerId id = 0; id < a.size(); ++id) {
    if (a[id].name != b[id].name) return false;
  }
  return true;
}

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

TEST(Reordering, ChangesNeitherWorkNorTransfers) {
  int moved = 0, compared = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& own) {
    if (plan_of(own).stages.size() > 1) return;
    Random random(drawn.seed);
    Case other = drawn;
    other.graph = reordered(drawn.graph, random);
    other.cluster.device.memory = other.cluster.device.memory * 2;
    moved += has_same_order(drawn.graph, other.graph) ? 0 : 1;
    ++compared;
    const Evaluation evaluation = evaluate(other, Detail::events);
    ASSERT_NE(evaluation.fits(), nullptr);
    const Breakdown& a = own.fits()->timeline.breakdown;
    const Breakdown& b = evaluation.fits()->timeline.breakdown;
    EXPECT_TRUE(is_close(a.forward.value, b.forward.value, 1e-9));
    EXPECT_TRUE(is_close(a.update.value, b.update.value, 1e-9));
    EXPECT_EQ(volume_of(plan_of(own)), volume_of(plan_of(evaluation)));
    if (plan_of(own).ranks() > 1) return;
    EXPECT_TRUE(is_close(own.fits()->step.time.value, evaluation.fits()->step.time.value, 1e-9));
  });
  EXPECT_GE(compared, kLeastFitting / 2);
  EXPECT_GE(moved, 100);
}

}  // namespace reorder_test
}  // namespace oracle
