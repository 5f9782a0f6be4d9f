#pragma once
// When are the samples of a step made?
//
// Those of a generated set before the step begins, as a loader's workers would have made them while
// the step before ran, and sent them ahead to a device; those of a training's data when the step
// asks for them, which is a wait where the workers have not come that far. They lie where the back
// end takes them from without a wait, and what the step itself does in both cases is to bring them
// into the layout of its kernels.              tests/validate/executor/step_input_test.cpp

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "microbench/kernels/backend.h"
#include "validate/data/sample_source.h"
#include "validate/program/program.h"

namespace oracle {

class StepInput {
 public:
  /// Source and back end outlive this.
  StepInput(const SampleSource& source, bool made_before, Backend& backend)
      : source_(source), made_before_(made_before), backend_(backend) {}

  /// Before a step, with the one before complete: the samples from `first` on that the program
  /// loads, those of the micro-batch whose first is the step's sample `offset`. They are where the
  /// step finds them once the back end has been waited for.
  void prepare(const Program& program, std::int64_t first, std::int64_t offset);

  /// In the step: into a tensor of the load's region.
  void write(const Program& program, const Load& load, std::int64_t first, std::int64_t offset,
             Tensor& to);

 private:
  struct Made {
    std::unique_ptr<HostBuffer> values;
    const float* ready = nullptr;  ///< where a tensor reads them
  };
  /// Of a load of the micro-batch at `offset`.
  Made& make(const Program& program, const Load& load, std::int64_t first, std::int64_t offset);

  const SampleSource& source_;
  bool made_before_;
  Backend& backend_;
  std::map<std::pair<std::int64_t, Slot>, Made> made_;  ///< by offset
};

}  // namespace oracle
