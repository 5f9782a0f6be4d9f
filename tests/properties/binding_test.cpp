// Every plan binds on every rank that it has, and what two layers of a program read as one gradient
// nobody writes meanwhile: binding says so otherwise.

#include <algorithm>

#include "oracle/base/error.h"
#include "tests/properties/random_cases.h"
#include "validate/program/bind.h"
#include "validate/program/bind_kernel.h"

namespace oracle {
namespace binding_test {

constexpr std::int64_t kMostRanks = 64, kRanksTried = 8;

std::int64_t shared_gradients(const Program& program) {
  std::int64_t shared = 0;
  for (const Operation& operation : program.backward) {
    const auto* run = std::get_if<LayerRun>(&operation.what);
    if (run != nullptr && run->shared.made != kNoSlot) ++shared;
  }
  return shared;
}

/// Whether ranks run such plans at all (Pieces).
bool is_run(const Graph& graph, const Plan& plan) {
  const LayerId loss = graph.size() - 1;
  const bool in_parts =
      graph[loss].feature_sums > 0 && feature_axes(plan.assignment.effects[loss]) != 0;
  for (LayerId id = 0; id < graph.size(); ++id) {
    if (!owner_of_weights(graph, id)) return false;
  }
  return !in_parts && plan.strategy.chunks == 1 && plan.copies.empty();
}

/// The first layer whose kernel reads another part of an input, or of its output's gradient, than
/// its piece says; windows read halos besides.
std::string wrong_part(const Pieces& pieces, const Program& program) {
  const Graph& graph = pieces.graph();
  for (const auto* operations : {&program.forward, &program.backward}) {
    for (const Operation& operation : *operations) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run == nullptr || is_cut_window(pieces, run->layer)) continue;
      const LayerId id = run->layer;
      const auto differs = [&](Slot slot, const Region& part) {
        return slot != kNoSlot && program.slots[slot].region != part;
      };
      for (std::size_t i = 0; i < graph[id].inputs.size(); ++i) {
        if (differs(run->inputs[i], pieces.input(id, i, program.rank))) return graph[id].name;
      }
      const Layout& layout = pieces.plan().pieces[id].gradient_layout;
      if (differs(run->output_gradient, pieces.in_layout(id, layout, program.rank))) {
        return "after " + graph[id].name;
      }
    }
  }
  return "";
}

struct Bound {
  std::int64_t programs = 0, shared = 0, refused = 0;
};

Bound bind_every_plan(const Networks& networks) {
  Bound found;
  on_every_fitting_case_of(networks, [&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    if (!is_run(drawn.graph, plan)) {
      EXPECT_THROW(Pieces(drawn.graph, plan, plan.micro_batch_samples()), InputError);
      return;
    }
    if (plan.ranks() > kMostRanks) return;
    const Pieces pieces(drawn.graph, plan, plan.micro_batch_samples());
    const std::int64_t step = std::max<std::int64_t>(1, plan.ranks() / kRanksTried);
    for (std::int64_t rank = 0; rank < plan.ranks(); rank += step) {
      try {
        const Program program = bind(pieces, static_cast<int>(rank));
        EXPECT_EQ(wrong_part(pieces, program), "") << "on rank " << rank;
        found.shared += shared_gradients(program);
        ++found.programs;
      } catch (const InputError&) {
        ++found.refused;  // a piece that no kernel can run
      }
    }
  });
  return found;
}

TEST(Binding, EveryPlanOfImagesBindsAndSharesWhatNobodyWrites) {
  const Bound found = bind_every_plan(kImages);
  EXPECT_GT(found.shared, 300);
  EXPECT_LT(100 * found.refused, found.programs);
}

TEST(Binding, EveryPlanOfTextsBindsAndSharesWhatNobodyWrites) {
  const Bound found = bind_every_plan(kTexts);
  EXPECT_GT(found.programs, 500);
  EXPECT_GT(found.shared, 300);
  EXPECT_EQ(found.refused, 0);
}

/// Lets the first work of forward that reads an activation which the item before it made come
/// before that.
bool disturb(Stage& stage) {
  for (std::uint32_t i = 0; i + 1 < stage.backward_begin; ++i) {
    const auto reads = stage.reads_of(stage.items[i + 1]);
    const bool is_read = std::any_of(reads.begin(), reads.end(), [&](TensorId id) {
      return stage.tensors[id].role == Role::activation && stage.tensors[id].made_by == i;
    });
    if (!is_read || !std::holds_alternative<Work>(stage.items[i + 1].what)) continue;
    std::swap(stage.items[i], stage.items[i + 1]);
    for (const std::uint32_t item : {i, i + 1}) {
      for (const TensorId id : stage.writes_of(stage.items[item])) {
        stage.tensors[id].made_by = item;
      }
    }
    return true;
  }
  return false;
}

TEST(Binding, AnItemBeforeWhatItReadsIsSeen) {
  int seen = 0;
  on_every_fitting_case([&](const Case& drawn, const Evaluation& evaluation) {
    Plan plan = plan_of(evaluation);
    if (!is_run(drawn.graph, plan) || !disturb(plan.stages[0])) return;
    const Pieces pieces(drawn.graph, plan, plan.micro_batch_samples());
    EXPECT_THROW(bind(pieces, 0), Defect);
    ++seen;
  });
  EXPECT_GE(seen, kLeastFitting / 2);
}

}  // namespace binding_test
}  // namespace oracle
