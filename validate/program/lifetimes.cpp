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

}  // namespace oracle
