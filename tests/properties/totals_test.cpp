// What all ranks do together is what one rank would do alone, plus what the plan declares.

#include "tests/properties/totals.h"

#include <map>

#include "tests/properties/differences.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace totals_test {

constexpr Pass kPasses[] = {Pass::forward, Pass::backward_data, Pass::backward_weights};

TEST(Totals, OfOperationsAreTheSerialOnesTimesTheRedundancy) {
  int even = 0, uneven = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (LayerId id = 1; id < drawn.graph.size(); ++id) {
      for (const Pass pass : kPasses) {
        const Totals totals = operations(drawn.graph, plan, id, pass);
        ++(totals.even ? even : uneven);
        EXPECT_EQ(broken(totals), "") << drawn.graph[id].name << ' ' << name_of(pass);
      }
    }
  });
  EXPECT_GE(even, enough(10000));
  EXPECT_GE(uneven, enough(10000));
}

TEST(Totals, OfParametersAreTheSerialOnesTimesTheirCopies) {
  on_every_fitting_case([](const Case& drawn, const Evaluation& evaluation) {
    for (LayerId id = 1; id < drawn.graph.size(); ++id) {
      EXPECT_EQ(broken(parameters(drawn.graph, plan_of(evaluation), id)), "")
          << drawn.graph[id].name;
    }
  });
}

TEST(Totals, OfExchangedGradientsAreThoseOfTheWeightsHeld) {
  int exchanges = 0;
  on_every_fitting_case([&](const Case&, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (const Stage& stage : plan.stages) {
      std::map<AxisSet, double> held, exchanged;
      for (LayerId id = std::max<LayerId>(stage.first, 1); id < stage.last; ++id) {
        const auto weights = static_cast<double>(plan.in_shards(id, plan.pieces[id].owned()));
        if (weights == 0 || plan.pieces[id].frozen) continue;
        for (const auto& [axes, part] : sums_of(plan, id)) {
          held[axes] += part * weights * plan.training.precision.travelling_bytes();
        }
      }
      for (const Item& item : stage.items) {
        const auto* transfer = std::get_if<Transfer>(&item.what);
        if (transfer == nullptr || transfer->payload != Payload::weight_gradient) continue;
        if (crosses_host_link(*transfer)) continue;
        // A message: the other stage's part of a weight that both have.
        if (transfer->collective == Collective::send_receive) continue;
        exchanged[transfer->axes] += transfer->bytes.value;
        ++exchanges;
      }
      EXPECT_EQ(held, exchanged);
    }
  });
  EXPECT_GE(exchanges, enough(1000));
}

/// What crosses the link to the host in a phase, one way, of a payload.
Bytes crossing(const Stage& stage, Collective way, Payload payload) {
  Bytes bytes;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || transfer->collective != way || transfer->payload != payload)
      continue;
    bytes += transfer->bytes;
  }
  return bytes;
}

/// Gradients go down and weights come back of what a rank updates, and what was kept for backward
/// goes and comes.
TEST(Totals, OfTheLinkToTheHostAreThoseOfWhatLiesThere) {
  int updates = 0, trips = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    for (const Stage& stage : plan.stages) {
      Bytes gradients, weights;
      for (LayerId id = std::max<LayerId>(stage.first, 1); id < stage.last; ++id) {
        const auto updated = static_cast<double>(plan.updated_by_rank(id));
        const Precision& precision = plan.training.precision;
        gradients += Bytes{updated * precision.gradient_bytes};
        weights += Bytes{updated * WeightBytes::of(drawn.graph[id], precision).sent};
      }
      const bool updates_there = drawn.strategy.offload.optimizer;
      const Bytes down = crossing(stage, Collective::to_host, Payload::weight_gradient);
      EXPECT_EQ(down, updates_there ? gradients : Bytes{});
      EXPECT_EQ(crossing(stage, Collective::from_host, Payload::weight),
                updates_there ? weights : Bytes{});
      const Bytes kept = crossing(stage, Collective::to_host, Payload::activation);
      EXPECT_EQ(crossing(stage, Collective::from_host, Payload::activation), kept);
      EXPECT_TRUE(drawn.strategy.offload.activations || kept == Bytes{});
      updates += down > Bytes{} ? 1 : 0;
      trips += kept > Bytes{} ? 1 : 0;
    }
  });
  EXPECT_GE(updates, enough(100));
  EXPECT_GE(trips, enough(100));
}

/// Bytes by the axes over which weights lie in shards.
using ByAxes = std::map<AxisSet, double>;

/// Of a phase.
ByAxes gathered(const Stage& stage, Phase phase) {
  ByAxes bytes;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || item.phase != phase || transfer->payload != Payload::weight ||
        crosses_host_link(*transfer)) {
      continue;
    }
    bytes[transfer->axes] += transfer->bytes.value;
  }
  return bytes;
}

/// Bytes of a stage's weights in shards, by axes: of those that it owns, and of all that it reads.
struct InShards {
  ByAxes owned, read;
};

InShards in_shards(const Graph& graph, const Plan& plan, const Stage& stage) {
  InShards bytes;
  for (LayerId id = std::max<LayerId>(stage.first, 1); id < stage.last; ++id) {
    const AxisSet axes = axes_to_sum(plan, id) & ~plan.replica_axes;
    const Piece& piece = plan.pieces[id];
    if (axes == 0 || piece.weights == 0) continue;
    const auto own = static_cast<double>(plan.in_shards(id, piece.owned()));
    const auto shared = static_cast<double>(plan.in_shards(id, piece.shared));
    const WeightBytes each = WeightBytes::of(graph[id], plan.training.precision);
    if (own * each.sent > 0) bytes.owned[axes] += own * each.sent;
    bytes.read[axes] += (own + shared) * each.used;
  }
  return bytes;
}

/// Weights that ranks keep whole are gathered once, after the update; others by each unit that
/// reads them, so that one that two units read is gathered twice; for backward again, unless they
/// stay whole.
TEST(Totals, OfGatheredWeightsAreThoseHeldInShards) {
  const ByAxes none;
  int updated = 0, used = 0;
  on_every_fitting_case_of(kTexts, [&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    if (drawn.strategy.zero == 0) return;
    const bool whole = drawn.strategy.zero < 3;
    for (const Stage& stage : plan.stages) {
      const InShards bytes = in_shards(drawn.graph, plan, stage);
      EXPECT_TRUE(has_same_bytes(gathered(stage, Phase::exchange), whole ? bytes.owned : none));
      EXPECT_TRUE(has_same_bytes(gathered(stage, Phase::forward), whole ? none : bytes.read));
      const bool again = !whole && drawn.strategy.reshard;
      EXPECT_TRUE(has_same_bytes(gathered(stage, Phase::backward), again ? bytes.read : none));
      ++(whole ? updated : used);
    }
  });
  EXPECT_GE(updated, enough(100));
  EXPECT_GE(used, enough(50));
}

/// Which is never empty.
LayerId first_contraction(const Graph& graph) {
  LayerId id = 1;
  while (graph[id].reduction == 0) ++id;
  return id;
}

TEST(Totals, SeeWorkThatNobodyDoesAndWorkDoneTwice) {
  int seen = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    Plan plan = plan_of(evaluation);
    const LayerId id = first_contraction(drawn.graph);
    plan.pieces[id].samples += plan.pieces[id].samples + plan.training.batch;
    EXPECT_NE(broken(operations(drawn.graph, plan, id, Pass::forward)), "");
    plan.pieces[id].samples = 0;
    EXPECT_NE(broken(operations(drawn.graph, plan, id, Pass::forward)), "");
    plan.pieces[id].weights -= 1;
    seen += broken(parameters(drawn.graph, plan, id)).empty() ? 0 : 1;
  });
  EXPECT_GE(seen, enough(kLeastFitting / 2));
}

}  // namespace totals_test
}  // namespace oracle
