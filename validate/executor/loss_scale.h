#pragma once
// By how much is the loss scaled where gradients are fp16?
//
// Below 2^-24 fp16 has no numbers, so the loss's gradient starts out larger, and with it all
// others; the optimizer takes the scale out again in fp32. Where a gradient is no finite number on
// any rank, the step is left out on all and the scale halved; after `patience` steps without it is
// doubled.
//                                         Micikevicius et al., ICLR 2018, section 3.2
// The first is the largest power of two that fp16 holds: the gradient of one sample's loss, at most
// 1, is a number with it.
//
// Worked: 32768, one bad step → 16384; 2,000 good ones → 32768
//                                              tests/validate/executor/loss_scale_test.cpp

#include <cstdint>

namespace oracle {

struct LossScale {
  double value = 32768;          ///< a power of two, at least 1
  std::int64_t patience = 2000;  ///< good steps until it is doubled
  std::int64_t good = 0;         ///< since it changed

  /// The scale of the next step.
  LossScale after(bool finite) const;
};

}  // namespace oracle
