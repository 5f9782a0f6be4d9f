#include "validate/executor/step_input.h"

namespace oracle {

void StepInput::make(const Program& program, const Load& load, std::int64_t sample,
                     Values& values) const {
  const Region& region = program.slots[load.to].region;
  values.resize(static_cast<std::size_t>(region.elements()));
  load.targets ? source_.targets(region, sample, values) : source_.inputs(region, sample, values);
}

void StepInput::prepare(const Program& program, std::int64_t first, std::int64_t offset) {
  if (!made_before_) return;
  for (const Operation& operation : program.forward) {
    const auto* load = std::get_if<Load>(&operation.what);
    if (load != nullptr) make(program, *load, first + offset, made_[{offset, load->to}]);
  }
}

void StepInput::write(const Program& program, const Load& load, std::int64_t first,
                      std::int64_t offset, Tensor& to) {
  Values& values = made_[{offset, load.to}];
  if (!made_before_) make(program, load, first + offset, values);
  to.write({{0, 0, 0, 0, 0}, to.extents()}, values.data());
}

}  // namespace oracle
