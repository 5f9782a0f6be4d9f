#include "validate/executor/step_losses.h"

#include "oracle/base/error.h"

namespace oracle {

void StepLosses::keep(const Tensor& losses) {
  const auto bytes = losses.extents().elements() * static_cast<std::int64_t>(sizeof(float));
  if (kept_ == memory_.size()) memory_.push_back(backend_.host_buffer(bytes));
  HostBuffer& to = *memory_[kept_++];
  ensure(to.bytes() == bytes, "micro-batches keep their order from step to step");
  losses.read({{0, 0, 0, 0, 0}, losses.extents()}, static_cast<float*>(to.data()));
}

double StepLosses::mean(double batch) const {
  double sum = 0;
  for (std::size_t i = 0; i < kept_; ++i) {
    const auto* values = static_cast<const float*>(memory_[i]->data());
    const auto count = memory_[i]->bytes() / static_cast<std::int64_t>(sizeof(float));
    for (std::int64_t s = 0; s < count; ++s) sum += static_cast<double>(values[s]) / batch;
  }
  return sum;
}

}  // namespace oracle
