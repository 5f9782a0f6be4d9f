#include <algorithm>

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
    const bool dies =
        std::find(operation_.dies.begin(), operation_.dies.end(), from) != operation_.dies.end();
    return dies && extents(from) == extents(to);
  }
  Extents extents(Slot slot) const { return program_.slots[slot].region.extents(); }

  const Program& program_;
  const Operation& operation_;
};

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

}  // namespace oracle
