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
void add_used(const LayerRun& run, Slots& used) {
  used.insert(used.end(), run.inputs.begin(), run.inputs.end());
  used.insert(used.end(), run.input_gradients.begin(), run.input_gradients.end());
  used.insert(used.end(), {run.output, run.output_gradient});
}

class InPlace {
 public:
  InPlace(const Program& program, const Operation& operation)
      : program_(program), operation_(operation) {}

  Reuse of(const LayerRun& run) const {
    if (!program_.kernels[run.kernel].layer.layer->in_place) return {};
    if (run.pass == Pass::forward) {
      const Slot from = run.inputs.front();
      // A sum of a tensor and itself reads it once more.
      const bool once = std::count(run.inputs.begin(), run.inputs.end(), from) == 1;
      return once && fits(from, run.output) ? Reuse{from, run.output} : Reuse{};
    }
    if (run.pass != Pass::backward_data) return {};
    for (const Slot to : run.input_gradients) {
      if (to != kNoSlot && fits(run.output_gradient, to)) return {run.output_gradient, to};
    }
    return {};
  }

 private:
  bool fits(Slot from, Slot to) const {
    return operation_.ends(from) && extents(from) == extents(to);
  }
  Extents extents(Slot slot) const { return program_.slots[slot].region.extents(); }

  const Program& program_;
  const Operation& operation_;
};

/// The slot that an operation writes anew where something is already; none: kNoSlot.
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

}  // namespace

void end_lifetimes(Program& program) {
  std::vector<Operation*> order;
  for (Operation& operation : program.forward) order.push_back(&operation);
  for (Operation& operation : program.backward) order.push_back(&operation);
  std::vector<bool> dead(program.slots.size(), false);
  for (auto operation = order.rbegin(); operation != order.rend(); ++operation) {
    Slots used;
    std::visit([&](const auto& what) { add_used(what, used); }, (*operation)->what);
    for (const Slot slot : used) {
      if (slot == kNoSlot || dead[slot]) continue;
      dead[slot] = true;
      (*operation)->dies.push_back(slot);
    }
  }
}

void work_in_place(Program& program) {
  for (auto* pass : {&program.forward, &program.backward}) {
    for (Operation& operation : *pass) {
      auto* run = std::get_if<LayerRun>(&operation.what);
      if (run != nullptr) run->in_place = InPlace(program, operation).of(*run);
    }
  }
}

void settle_shared(Program& program) {
  for (std::size_t i = 0; i < program.backward.size(); ++i) {
    auto* run = std::get_if<LayerRun>(&program.backward[i].what);
    if (run == nullptr || run->shared.made == kNoSlot) continue;
    if (run->in_place.to == run->shared.same) std::swap(run->shared.made, run->shared.same);
    check_only_read(std::span(program.backward).subspan(i + 1), run->shared);
  }
}

}  // namespace oracle
