#pragma once
// Which passes of a published convolution were timed, and how long did they take?

#include <array>
#include <cstddef>

#include "oracle/accuracy/kernel_times.h"
#include "oracle/io/published/kernels_reader.h"

namespace oracle::cli {

/// Calls `visit(shape, pass, time)` with each of them.
template <typename Visit>
void each_timed_pass(const PublishedConvolution& one, const Visit& visit) {
  constexpr std::array kPasses = {Pass::forward, Pass::backward_data, Pass::backward_weights};
  const ConvolutionShape shape{one.samples, one.channels, one.features, one.map,
                               one.kernel,  one.stride,   one.pad};
  for (std::size_t p = 0; p < kPasses.size(); ++p) {
    if (one.times[p]) visit(shape, kPasses[p], *one.times[p]);
  }
}

}  // namespace oracle::cli
