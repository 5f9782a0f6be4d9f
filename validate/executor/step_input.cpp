#include "validate/executor/step_input.h"

#include <span>

namespace oracle {

HostBuffer& StepInput::make(const Program& program, const Load& load, std::int64_t first,
                            std::int64_t offset) {
  const Region& region = program.slots[load.to].region;
  const std::int64_t count = region.elements();
  std::unique_ptr<HostBuffer>& made = made_[{offset, load.to}];
  if (!made) made = backend_.host_buffer(count * static_cast<std::int64_t>(sizeof(float)));
  const std::span<float> values(static_cast<float*>(made->data()), static_cast<std::size_t>(count));
  load.targets ? source_.targets(region, first + offset, values)
               : source_.inputs(region, first + offset, values);
  return *made;
}

void StepInput::prepare(const Program& program, std::int64_t first, std::int64_t offset) {
  if (!made_before_) return;
  for (const Operation& operation : program.forward) {
    const auto* load = std::get_if<Load>(&operation.what);
    if (load != nullptr) make(program, *load, first, offset);
  }
}

void StepInput::write(const Program& program, const Load& load, std::int64_t first,
                      std::int64_t offset, Tensor& to) {
  HostBuffer& values =
      made_before_ ? *made_.at({offset, load.to}) : make(program, load, first, offset);
  to.write({{0, 0, 0, 0, 0}, to.extents()}, static_cast<const float*>(values.data()));
}

}  // namespace oracle
