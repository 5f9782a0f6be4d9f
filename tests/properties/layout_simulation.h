#pragma once
// Does a change of layout leave every rank with all of its part, fully summed?
//
// Every rank of a mesh holds elements of a small tensor, each as the set of summands that are in
// it. The collectives of the change are carried out literally: the members of a group give each
// other what they hold and the receiver wants. In the end each rank must have its part of the
// target layout with every summand once.
//
// A tensor axis that is cut over several mesh axes is numbered by the outermost first, so a cut
// that comes on top of others divides their parts further, whichever mesh axis it is over: until
// last messages over axes that already are as demanded number the parts again.
//
// Counted on the way: the buffer that each step states is that of the rank with most, cuts even or
// not.
//                                                                tests/properties/layout_test.cpp

#include <cstdint>
#include <span>
#include <string>

#include "oracle/plan/layout/layout.h"

namespace oracle {

/// A tensor over samples, channels and heights.
struct WholeTensor {
  std::int64_t samples = 1, channels = 1, heights = 1;

  Shape shape() const;
  std::int64_t elements() const { return samples * channels * heights; }
};

/// Why `steps` do not turn `from` into `to`, or move other than they state, or "".
std::string missing_after(const Layout& from, const Layout& to, const WholeTensor& tensor,
                          std::span<const std::int64_t> degrees, std::span<const Conversion> steps);

}  // namespace oracle
