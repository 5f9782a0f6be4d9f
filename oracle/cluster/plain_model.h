#pragma once
// How long would a kernel take if all of its family made as much of the device?
//
//   t = launch + a·operations + b·elements + Σ_k c_k·max(0, elements − e_k)
//
// the roofline's two slopes (Williams, Waterman & Patterson, CACM 52(4), 2009) as a sum, and
// steeper where a cache is full: each element beyond the e_k-th takes c_k longer.
//
// Worked: 2 us + 1 ns an element, 3 ns more beyond the 1000th: 1500 elements take 5 us
//                                                               tests/cluster/plain_model_test.cpp

#include <vector>

#include "oracle/base/units.h"
#include "oracle/cluster/kernel_key.h"

namespace oracle {

/// Beyond as many elements each takes longer [s].
struct FullCache {
  double elements = 0, per_element = 0;
  bool operator==(const FullCache&) const = default;
};

struct PlainModel {
  Seconds launch;
  double per_operation = 0;            ///< seconds
  double per_element = 0;              ///< seconds
  std::vector<FullCache> full_caches;  ///< from few elements to many
  bool operator==(const PlainModel&) const = default;

  Seconds of(const KernelWork& work) const;
};

/// The same device, so many times as fast.
PlainModel operator/(PlainModel model, double factor);

}  // namespace oracle
