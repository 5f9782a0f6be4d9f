#include "validate/executor/step_input.h"

#include <span>

namespace oracle {

StepInput::Made& StepInput::make(const Program& program, const Load& load, std::int64_t first,
                                 std::int64_t offset) {
  const Region& region = program.slots[load.to].region;
  const std::int64_t count = region.elements();
  Made& made = made_[{offset, load.to}];
  if (!made.values) {
    made.values = backend_.host_buffer(count * static_cast<std::int64_t>(sizeof(float)));
  }
  auto* begin = static_cast<float*>(made.values->data());
  const std::span<float> values(begin, static_cast<std::size_t>(count));
  if (load.targets) {
    source_.targets(region, first + offset, values);
  } else if (load.further) {
    source_.further(region, first + offset, values);
  } else {
    source_.inputs(region, first + offset, values);
  }
  made.ready = begin;
  return made;
}

void StepInput::prepare(const Program& program, std::int64_t first, std::int64_t offset) {
  if (!made_before_) return;
  for (const StageProgram& stage : program.stages) {
    for (const Operation& operation : stage.forward) {
      const auto* load = std::get_if<Load>(&operation.what);
      if (load == nullptr) continue;
      Made& made = make(program, *load, first, offset);
      made.ready = static_cast<const float*>(made.values->sent_ahead());
    }
  }
}

void StepInput::write(const Program& program, const Load& load, std::int64_t first,
                      std::int64_t offset, Tensor& to) {
  const Made& made =
      made_before_ ? made_.at({offset, load.to}) : make(program, load, first, offset);
  to.write({{0, 0, 0, 0, 0}, to.extents()}, made.ready);
}

}  // namespace oracle
