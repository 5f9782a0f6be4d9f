#pragma once
// What are the sums of a convolution, and of its two gradients?
//
// Over values in double, in the order (sample, channel, position). The places that the windows of
// one sample cover are laid out as a matrix, a row for each channel and tap and a column for each
// position of the output, zero outside the input; the three passes are then products of matrices.

#include <array>
#include <cstdint>
#include <vector>

namespace oracle::emulated {

using Axes = std::array<std::int64_t, 3>;
using Values = std::vector<double>;

/// Channels and filters are those of one group.
struct ConvolutionShape {
  std::int64_t samples = 1, groups = 1, channels = 1, filters = 1;
  Axes in{1, 1, 1}, out{1, 1, 1}, taps{1, 1, 1};
  Axes pad{0, 0, 0}, stride{1, 1, 1}, dilation{1, 1, 1};
};

Values convolution_forward(const ConvolutionShape& shape, const Values& x, const Values& w);
Values convolution_backward_data(const ConvolutionShape& shape, const Values& w, const Values& dy);
Values convolution_backward_filter(const ConvolutionShape& shape, const Values& x,
                                   const Values& dy);

}  // namespace oracle::emulated
