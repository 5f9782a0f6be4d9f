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

  Seconds total() const;
};

}  // namespace oracle
