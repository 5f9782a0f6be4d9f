#pragma once
// How do kernel, stride, pad and dilation become a Window, and a Window an output extent?
//
//   out = floor((in + pad_before + pad_after − dilation·(kernel−1) − 1)/stride) + 1
//
// This is the arithmetic of PyTorch's and ONNX's convolutions. Rounding up (`ceil`) is written as
// more pad_after, so that no one after the graph needs a second formula; as in PyTorch, a window
// that would start in the padding after the input is left out.
//
// Worked: in 112, kernel 3, stride 2, no pad: 55; with ceil 56, pad_after 1
//                                                                 tests/graph/kinds/window_test.cpp

#include <array>
#include <cstdint>
#include <vector>

#include "oracle/graph/attributes.h"
#include "oracle/graph/layer.h"

namespace oracle {

/// The stride where none is written: convolutions step by one, pools by their kernel.
enum class DefaultStride : std::uint8_t { one, kernel };

/// Reads "kernel" (required), "stride", "pad" or "pad_before" and "pad_after", and "dilation". Axes
/// the network lacks keep the identity. Throws InputError (empty place).
Window read_window(const Layer& layer, const Attributes& attributes, DefaultStride stride);

/// Spreads one value per spatial axis of a rank-`values.size()` network over depth, height, width.
std::array<std::int64_t, 3> over_axes(const std::vector<std::int64_t>& values, std::int64_t absent);

/// Extents after the window slid over `input`; the channels are the input's. Throws InputError
/// (empty place) where the window does not fit.
Shape slide(const Window& window, const Shape& input);

/// Throws InputError (empty place) where the positions are too many to count exactly.
void check_positions(const Shape& shape);

/// Adds what rounding up needs to `window.pad_after`.
void round_up(Window& window, const Shape& input);

/// Pointwise for the identity window; whole where nothing is left to cut; otherwise windowed.
Reach reach_of(const Window& window, const Shape& input, const Shape& output);

}  // namespace oracle
