#include <algorithm>
#include <span>
#include <utility>

#include "oracle/base/error.h"
#include "validate/program/bind.h"

namespace oracle {
namespace {

using Slots = std::vector<Slot>;

void add_used(const Load& load, Slots& used) { used.push_back(load.to); }
void add_used(const Move& move, Slots& used) { used.insert(used.end(), {move.from, move.to}); }
void add_used(const GradientSum& sum, Slots& used) { used.insert(used.end(), {sum.sum, sum.term}); }
void add_used(const Gather&, Slots&) {}
void add_used(const GradientScatter&, Slots&) {}
void add_used(const ShardSum&, Slots&) {}
void add_used(const LayerRun& run, Slots& used) {
  used.insert(used.end(), run.inputs.begin(), run.inputs.end());
  used.insert(used.end(), run.input_gradients.begin(), run.input_gradients.end());
  used.insert(used.end(), {run.output, run.output_gradient, run.adds_to});
}

/// The gather whose weights an operation makes or reads.
std::uint32_t gather_of(const Operation& operation) {
  if (const auto* gather = std::get_if<Gather>(&operation.what)) return gather->gather;
  const auto* run = std::get_if<LayerRun>(&operation.what);
  return run == nullptr ? kNoGather : run->gather;
}

/// Whether a layer may make its result where its operand lies: that must die, and be as large.
bool may_reuse(const Program& program, const Operation& operation, const Reuse& reuse) {
  return reuse.from != kNoSlot && operation.ends(reuse.from) &&
         program.slots[reuse.from].region.extents() == program.slots[reuse.to].region.extents();
}

/// The slot that an operation writes again where something is already; none: kNoSlot.
Slot overwritten_by(const Operation& operation) {
  if (const auto* sum = std::get_if<GradientSum>(&operation.what)) return sum->sum;
  const auto* run = std::get_if<LayerRun>(&operation.what);
  return run == nullptr ? kNoSlot : run->in_place.from;
}

/// Until one of the two dies.
void check_only_read(std::span<const Operation> operations, const Sharing& shared) {
  for (const Operation& operation : operations) {
    const Slot written = overwritten_by(operation);
    ensure(written != shared.made && written != shared.same,
           "a gradient that two layers share is written while both read it");
    if (operation.ends(shared.made) || operation.ends(shared.same)) return;
  }
}

void settle_storage(const Program& program, std::span<Operation> operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    auto* run = std::get_if<LayerRun>(&operations[i].what);
    if (run == nullptr) continue;
    if (!may_reuse(program, operations[i], run->in_place)) run->in_place = {};
    ensure(run->adds_to == run->in_place.from || run->adds_to == kNoSlot,
           "what a step adds to lies where it leaves its own");
    if (run->shared.made == kNoSlot) continue;
    if (run->in_place.to == run->shared.same) std::swap(run->shared.made, run->shared.same);
    check_only_read(operations.subspan(i + 1), run->shared);
  }
}

}  // namespace

void end_lifetimes(Program& program) {
  std::vector<Operation*> order;
  for (StageProgram& stage : program.stages) {
    for (Operation& operation : stage.forward) order.push_back(&operation);
    for (Operation& operation : stage.backward) order.push_back(&operation);
    for (Operation& operation : stage.weights) order.push_back(&operation);
  }
  std::vector<bool> dead(program.slots.size(), false), released(program.gathers.size(), false);
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation) {
    const std::uint32_t gather = gather_of(**operation);
    if (gather != kNoGather && !released[gather]) {
      released[gather] = true;
      (*operation)->releases.push_back(gather);
    }
    Slots used;
    std::visit([&](const auto& what) { add_used(what, used); }, (*operation)->what);
    for (const Slot slot : used) {
      if (slot == kNoSlot || dead[slot]) continue;
      dead[slot] = true;
      (*operation)->dies.push_back(slot);
    }
  }
}

void settle_storage(Program& program) {
  for (StageProgram& stage : program.stages) {
    settle_storage(program, stage.forward);
    settle_storage(program, stage.backward);
    settle_storage(program, stage.weights);
  }
}

}  // namespace oracle
