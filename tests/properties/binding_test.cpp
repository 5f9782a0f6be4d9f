// Every plan binds on every rank that it has, and what two layers of a program read as one gradient
// no one writes meanwhile: binding says so otherwise.

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "oracle/base/error.h"
#include "tests/properties/random_cases.h"
#include "validate/program/bind.h"
#include "validate/program/bind_kernel.h"

namespace oracle {
namespace binding_test {

constexpr std::int64_t kMostRanks = 64, kRanksTried = 8;

std::int64_t shared_gradients(const Program& program) {
  std::int64_t shared = 0;
  for (const StageProgram& stage : program.stages) {
    for (const Operation& operation : stage.backward) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run != nullptr && run->shared.made != kNoSlot) ++shared;
    }
  }
  return shared;
}

/// Nothing where ranks go no such way (tests/validate/program/pieces_test.cpp).
std::optional<Pieces> pieces_of(const Graph& graph, const Plan& plan) {
  try {
    return std::optional<Pieces>(std::in_place, graph, plan, plan.micro_batch_samples());
  } catch (const InputError&) {
    return std::nullopt;
  }
}

/// The first layer whose kernel reads another part of an input, or of its output's gradient, than
/// its piece says, or a key twice; windows read halos besides, and where keys go round a step of
/// attention reads those of one rank.
std::string wrong_part(const Pieces& pieces, const Program& program, const StageProgram& stage) {
  const Graph& graph = pieces.graph();
  std::set<std::pair<LayerId, std::int64_t>> keys;
  for (const auto* operations : {&stage.forward, &stage.backward, &stage.weights}) {
    for (const Operation& operation : *operations) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run == nullptr || is_cut_window(pieces, run->layer)) continue;
      const LayerId id = run->layer;
      const auto differs = [&](Slot slot, const Region& part) {
        return slot != kNoSlot && program.slots[slot].region != part;
      };
      for (std::size_t i = 0; i < graph[id].inputs.size(); ++i) {
        Region part = pieces.input(id, i, program.rank);
        if (i > 0 && !run->keys.empty()) {
          part.along[kWidthAxis] = program.slots[run->inputs[i]].region.along[kWidthAxis];
        }
        if (differs(run->inputs[i], part)) return graph[id].name;
      }
      for (const std::int64_t key : run->keys) {
        const bool again = operations != &stage.forward || keys.emplace(id, key).second;
        if (!again) return "a key twice in " + graph[id].name;
      }
      const Layout& layout = pieces.plan().pieces[id].gradient_layout;
      if (differs(run->output_gradient, pieces.in_layout(id, layout, program.rank))) {
        return "after " + graph[id].name;
      }
    }
  }
  return "";
}

/// What forward leaves for backward in a rank's tensors, but for targets, masks, and copies that
/// kernels make of a tensor to look at it in another shape.
Bytes kept(const Graph& graph, const Program& program, const StageProgram& stage,
           const Precision& precision) {
  std::vector<bool> left(program.slots.size(), false);
  for (const Operation& operation : stage.forward) {
    if (const auto* run = std::get_if<LayerRun>(&operation.what)) left[run->output] = true;
    if (const auto* move = std::get_if<Move>(&operation.what)) {
      if (move->to != kNoSlot) left[move->to] = true;
    }
    if (const auto* load = std::get_if<Load>(&operation.what)) left[load->to] = !load->targets;
    for (const Slot slot : operation.dies) left[slot] = false;
  }
  Bytes sum;
  for (Slot slot = 0; slot < left.size(); ++slot) {
    const SlotSpec& spec = program.slots[slot];
    const Layer& layer = graph[spec.layer];
    const bool is_view = layer.in_place && layer.of(Pass::forward).output_touches == 0;
    if (!left[slot] || is_view) continue;
    const auto elements = static_cast<double>(spec.region.extents().elements());
    sum += Bytes{elements * (spec.fp32 ? 4 : precision.activation_bytes)};
  }
  return sum;
}

struct Bound {
  std::int64_t programs = 0, shared = 0, refused = 0;
};

Bound bind_every_plan(const Networks& networks) {
  Bound found;
  on_every_fitting_case_of(networks, [&](const Case& drawn, const Evaluation& evaluation) {
    const Plan& plan = plan_of(evaluation);
    const std::optional<Pieces> run = pieces_of(drawn.graph, plan);
    if (!run || plan.ranks() > kMostRanks) return;
    const Pieces& pieces = *run;
    std::vector<Bytes> stage_kept;
    for (std::size_t s = 0; s < plan.stages.size(); ++s) {
      stage_kept.push_back(liveness(drawn.graph, plan, s).kept);
    }
    const std::int64_t step = std::max<std::int64_t>(1, plan.ranks() / kRanksTried);
    for (std::int64_t rank = 0; rank < plan.ranks(); rank += step) {
      try {
        const Program program = bind(pieces, static_cast<int>(rank));
        for (const StageProgram& stage : program.stages) {
          EXPECT_EQ(wrong_part(pieces, program, stage), "") << "on rank " << rank;
          EXPECT_LE(kept(drawn.graph, program, stage, plan.training.precision),
                    stage_kept[stage.stage]);
        }
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
  EXPECT_GT(found.shared, enough(300));
  EXPECT_LT(100 * found.refused, found.programs);
}

TEST(Binding, EveryPlanOfTextsBindsAndSharesWhatNobodyWrites) {
  const Bound found = bind_every_plan(kTexts);
  EXPECT_GT(found.programs, enough(500));
  EXPECT_GT(found.shared, enough(300));
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
    const std::optional<Pieces> pieces = pieces_of(drawn.graph, plan);
    if (!pieces || !disturb(plan.stages[0])) return;
    EXPECT_THROW(bind(*pieces, 0), Defect);
    ++seen;
  });
  EXPECT_GE(seen, enough(kLeastFitting / 2));
}

}  // namespace binding_test
}  // namespace oracle
