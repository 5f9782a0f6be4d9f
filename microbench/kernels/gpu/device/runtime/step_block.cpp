#include "microbench/kernels/gpu/device/runtime/step_block.h"

#include <cmath>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

Adam adam_of(const OptimizerStep& step) {
  const auto steps = static_cast<double>(step.step);
  return {.rate = static_cast<float>(step.rate / (1 - std::pow(step.momentum, steps))),
          .first_decay = static_cast<float>(step.momentum),
          .first_weight = static_cast<float>(1 - step.momentum),
          .second_decay = static_cast<float>(step.second_moment),
          .second_weight = static_cast<float>(1 - step.second_moment),
          .second_scale = static_cast<float>(1 / (1 - std::pow(step.second_moment, steps))),
          .epsilon = static_cast<float>(step.epsilon)};
}

Update update_of(const OptimizerStep& step) {
  return {.share = static_cast<float>(1 / step.gradient_scale),
          .rate = static_cast<float>(step.rate),
          .decay = static_cast<float>(step.momentum),
          .adam = adam_of(step)};
}

}  // namespace

StepBlock::StepBlock(Stream stream, DeviceMemory& memory)
    : stream_(stream),
      memory_(memory),
      values_(static_cast<StepValues*>(memory.take(std::int64_t{sizeof(StepValues)}))) {
  if (values_ == nullptr) throw EnvironmentError("the GPU's memory is taken by other programs");
}

StepBlock::~StepBlock() { memory_.give(values_); }

void StepBlock::write(const StepValues& values) {
  if (written_ == values) return;
  ensure(!held_, "a recorded step has the scalars that were written before it");
  store_values(stream_, values_, values);
  written_ = values;
}

void StepBlock::write(const StepScalars& now) {
  write(StepValues{now.seed, now.gradient_scale, update_of(now.optimizer)});
}

const std::uint64_t* StepBlock::seed(std::uint64_t now) {
  StepValues values = written();
  values.seed = now;
  write(values);
  return &values_->seed;
}

const double* StepBlock::gradient_scale(double now) {
  StepValues values = written();
  values.gradient_scale = now;
  write(values);
  return &values_->gradient_scale;
}

const Update* StepBlock::update(const OptimizerStep& now) {
  StepValues values = written();
  values.update = update_of(now);
  write(values);
  return &values_->update;
}

}  // namespace oracle::gpu
