// What fuses is computed as often as before, with no more bytes and no more memory, and moves what
// it moved.

#include "oracle/plan/fusion.h"

#include "oracle/cost/compute/kernel.h"
#include "tests/properties/random_cases.h"

namespace oracle {
namespace properties_fusion_test {

/// Of every layer that an item computes; the traffic of the items' own kernels.
KernelDemand all_work(const Graph& graph, const Plan& plan) {
  KernelDemand sum;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->layer == kAllLayers) continue;
      const auto demanded = [&](LayerId id) {
        return demand(graph[id], plan.pieces[id], work->pass, plan.training);
      };
      sum.traffic += demanded(work->layer).traffic;
      sum.flops += demanded(work->layer).flops;
      const LayerId last = computes_up_to(graph, plan, work->layer);
      const bool of_both = work->pass == Pass::forward || (work->pass == Pass::backward_data &&
                                                           is_fused_backward(graph, plan, last));
      if (of_both && last != work->layer) sum.flops += demanded(last).flops;
    }
  }
  return sum;
}

std::vector<std::pair<Collective, double>> transfers(const Plan& plan) {
  std::vector<std::pair<Collective, double>> all;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer != nullptr) all.emplace_back(transfer->collective, transfer->bytes.value);
    }
  }
  return all;
}

/// What moves the output of `id` within forward.
bool is_moved(const Plan& plan, LayerId id) {
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const auto* transfer = std::get_if<Transfer>(&item.what);
      if (transfer == nullptr || transfer->payload == Payload::statistics) continue;
      if (transfer->layer == id && item.phase == Phase::forward) return true;
    }
    for (const Transfer& message : stage.to_next) {
      if (message.layer == id) return true;
    }
  }
  return false;
}

double compute_of(const Evaluation& evaluation) {
  const Breakdown& parts = evaluation.fits()->timeline.breakdown;
  return (parts.forward + parts.backward + parts.update).value;
}

TEST(Fusion, ChangesNoOperationAndNoTransferAndTakesNoMoreMemory) {
  int plans = 0, layers = 0, kept_apart = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& fused = plan_of(evaluation);
    Case apart = drawn;
    apart.strategy.fusion = false;
    apart.strategy.stages = evaluation.strategy.stages;
    const Evaluation other = evaluate(apart, Detail::events);
    if (const Infeasible* refusal = other.infeasible()) {
      EXPECT_EQ(refusal->constraint, Constraint::memory) << "the only thing that fusion saves";
      EXPECT_GT(refusal->needed, evaluation.fits()->memory.total().value);
      return;
    }
    const Plan& unfused = plan_of(other);
    const KernelDemand with = all_work(drawn.graph, fused);
    const KernelDemand without = all_work(drawn.graph, unfused);
    EXPECT_NEAR(with.flops.value, without.flops.value, 1e-9 * without.flops.value);
    EXPECT_LE(with.traffic, without.traffic);
    EXPECT_EQ(transfers(fused), transfers(unfused));
    EXPECT_LE(evaluation.fits()->memory.total(), other.fits()->memory.total());
    int here = 0;
    for (LayerId id = 1; id < drawn.graph.size(); ++id) {
      if (may_fuse(drawn.graph, id, drawn.cluster.device.fusions) && !fused.is_fused(id)) {
        ++kept_apart;
      }
      if (!fused.is_fused(id)) continue;
      ++here;
      EXPECT_FALSE(is_moved(fused, computed_in(drawn.graph, fused, id))) << drawn.graph[id].name;
    }
    if (fused.stages.size() == 1) {
      EXPECT_LE(compute_of(evaluation), compute_of(other) * (1 + 1e-12));
    }
    layers += here;
    plans += here > 0 ? 1 : 0;
  });
  EXPECT_GE(plans, 50);
  EXPECT_GE(layers, 100);
  EXPECT_GE(kept_apart, 20);
}

}  // namespace properties_fusion_test
}  // namespace oracle
