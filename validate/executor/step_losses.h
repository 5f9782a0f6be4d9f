#pragma once
// What is the loss of a step, if no one reads it while the step goes on?
//
// The losses of each micro-batch's samples are taken to memory of the host, and added up when the
// step is over.                               tests/validate/executor/step_losses_test.cpp

#include <cstddef>
#include <memory>
#include <vector>

#include "microbench/kernels/backend.h"

namespace oracle {

class StepLosses {
 public:
  explicit StepLosses(Backend& backend) : backend_(backend) {}

  void begin_step() { kept_ = 0; }
  /// In the step: a micro-batch's, which may be freed then.
  void keep(const Tensor& losses);
  /// With the back end's work complete: the sum over `batch` samples divided by their number.
  double mean(double batch) const;

 private:
  Backend& backend_;
  std::vector<std::unique_ptr<HostBuffer>> memory_;  ///< by the order in which they are kept
  std::size_t kept_ = 0;
};

}  // namespace oracle
