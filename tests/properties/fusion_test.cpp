// What fuses is computed as often as before, with no more bytes and no more memory, and moves what
// it moved.

#include "oracle/plan/fusion.h"

#include <algorithm>
#include <cmath>

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
        return demand(graph[id], plan.pieces[id], *work, plan.training);
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

/// The first thing in which a plan that fuses is not the other, or "".
std::string broken(const Graph& graph, const Plan& fused, const Plan& apart) {
  const KernelDemand with = all_work(graph, fused), without = all_work(graph, apart);
  const double most = 1e-9 * without.flops.value;
  if (std::abs((with.flops - without.flops).value) > most) return "operations";
  if (with.traffic > without.traffic) return "traffic";
  if (transfers(fused) != transfers(apart)) return "transfers";
  for (LayerId id = 1; id < graph.size(); ++id) {
    if (fused.is_fused(id) && is_moved(fused, computed_in(graph, fused, id))) {
      return graph[id].name + " is moved";
    }
  }
  return "";
}

struct Fused {
  int plans = 0, layers = 0, kept_apart = 0;
};

void count(const Case& drawn, const Plan& fused, Fused& found) {
  int here = 0;
  for (LayerId id = 1; id < drawn.graph.size(); ++id) {
    const bool may = may_fuse(drawn.graph, id, drawn.cluster.device.fusions);
    found.kept_apart += may && !fused.is_fused(id) ? 1 : 0;
    here += fused.is_fused(id) ? 1 : 0;
  }
  found.layers += here;
  found.plans += here > 0 ? 1 : 0;
}

/// The same, its layers apart.
Case without_fusion(const Case& drawn, const Evaluation& evaluation) {
  Case apart = drawn;
  apart.strategy.fusion = false;
  apart.strategy.stages = evaluation.strategy.stages;
  return apart;
}

Fused compare_all(const Networks& networks) {
  Fused found;
  on_every_fitting_case_of(networks, [&](const Case& drawn, const Evaluation& evaluation) {
    // What is not kept does not go to the host either.
    if (drawn.strategy.offload.activations) return;
    const Evaluation other = evaluate(without_fusion(drawn, evaluation), Detail::events);
    if (const Infeasible* refusal = other.infeasible()) {
      EXPECT_EQ(refusal->constraint, Constraint::memory) << "the only thing that fusion saves";
      EXPECT_GT(refusal->needed, evaluation.fits()->memory.total().value);
      return;
    }
    EXPECT_EQ(broken(drawn.graph, plan_of(evaluation), plan_of(other)), "");
    EXPECT_LE(evaluation.fits()->memory.total(), other.fits()->memory.total());
    if (plan_of(evaluation).stages.size() == 1) {
      EXPECT_LE(compute_of(evaluation), compute_of(other) * (1 + 1e-12));
    }
    count(drawn, plan_of(evaluation), found);
  });
  return found;
}

TEST(Fusion, ChangesNoOperationAndNoTransferAndTakesNoMoreMemory) {
  const Fused images = compare_all(kImages), texts = compare_all(kTexts);
  EXPECT_GE(images.plans, enough(50));
  EXPECT_GE(images.layers, enough(100));
  EXPECT_GE(images.kept_apart, enough(20));
  EXPECT_GE(texts.plans, enough(20));
  EXPECT_GE(texts.layers, enough(30));
}

/// The first item of which it is true goes.
template <typename Predicate>
bool erase_item(Plan& plan, Predicate of) {
  for (Stage& stage : plan.stages) {
    const auto item = std::find_if(stage.items.begin(), stage.items.end(), of);
    if (item == stage.items.end()) continue;
    stage.items.erase(item);
    return true;
  }
  return false;
}

TEST(Fusion, IsSeenToLeaveOutWorkOrATransfer) {
  int work = 0, transfer = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& fused = plan_of(evaluation);
    const auto plan = partition(drawn.graph, without_fusion(drawn, evaluation).strategy,
                                drawn.training, drawn.cluster);
    const Plan& apart = std::get<Plan>(plan);
    Plan less = fused;
    const bool erased = erase_item(less, [&](const Item& item) {
      const auto* of = std::get_if<Work>(&item.what);
      return of != nullptr && of->layer != kAllLayers && of->pass != Pass::quantize &&
             drawn.graph[of->layer].reduction > 0;
    });
    EXPECT_TRUE(erased);
    EXPECT_EQ(broken(drawn.graph, less, apart), "operations");
    ++work;
    less = fused;
    if (!erase_item(less,
                    [](const Item& item) { return std::holds_alternative<Transfer>(item.what); })) {
      return;
    }
    EXPECT_EQ(broken(drawn.graph, less, apart), "transfers");
    ++transfer;
  });
  EXPECT_GE(work, enough(kLeastFitting));
  EXPECT_GE(transfer, enough(kLeastFitting / 2));
}

}  // namespace properties_fusion_test
}  // namespace oracle
