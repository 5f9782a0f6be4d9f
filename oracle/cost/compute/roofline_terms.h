#pragma once
// What could bound a kernel?
//
//   t = launch + (arithmetic^p + memory^p)^(1/p)
//
// p = 1 adds up, a large p takes the longer.
//
// Worked: 3 and 4 us take 5 us at p = 2, 7 at p = 1         tests/cost/compute/roofline_test.cpp

#include <cmath>

#include "oracle/base/units.h"

namespace oracle {

struct RooflineTerms {
  Seconds launch, arithmetic, memory;
  double sharpness = HUGE_VAL;  ///< p
  double in_step = 1;           ///< how much longer it takes among the other kernels of a step

  /// Of the kernel repeated alone.
  Seconds total() const;
  /// Among the other kernels of a step: t = launch + in_step * (arithmetic^p + memory^p)^(1/p).
  Seconds in_a_step() const;
};

}  // namespace oracle
