#pragma once
// Which extents does an operator make of those that it reads? For constants and tensors alike.
//
// Worked: 3x1x5 and 4x1 broadcast to 3x4x5                      tests/io/onnx/shapes_test.cpp

#include <optional>

#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// As numpy does it, aligned at the last axis. Throws InputError where they do not fit.
Integers broadcast(const Integers& a, const Integers& b);

/// What a Reshape to `target` makes, its 0 and -1 filled in. Throws InputError where it does not
/// keep the number of elements.
Integers reshape_of(const Integers& target, const Integers& from, bool zero_is_zero);

/// The places that a Slice takes along an axis.
struct Taken {
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::int64_t step = 1;
};
/// For each axis of `dims`. Throws InputError where the lists do not fit them.
std::vector<Taken> slice_of(const Integers& dims, const Integers& starts, const Integers& ends,
                            const Integers& axes, const Integers& steps);

/// The parts of a Split of `extent` into as many as `outputs`, or as `written`.
Integers split_of(std::int64_t extent, const Integers& written, std::size_t outputs);

/// The axis of a Flatten, `rank` where it is behind the last.
std::size_t flatten_axis(const Node& node, std::size_t rank);
/// The axes before `axis` joined, and those from it on.
Integers flatten_of(const Integers& dims, std::size_t axis);

/// The axes that a reduction of `rank` reduces, where it names `named`: all where it names none,
/// unless that is to mean none.
std::vector<std::size_t> reduced_axes(const Node& node, std::vector<std::size_t> named,
                                      std::size_t rank);

/// The order of axes of a Transpose. Throws InputError where it is not one.
std::vector<std::size_t> order_of(const Node& node, std::size_t rank);

/// A negative axis counts from the end. Throws InputError where there is none.
std::size_t axis_of(std::int64_t axis, std::size_t rank);
/// The same of each, ascending and each once.
std::vector<std::size_t> axes_of(const Integers& axes, std::size_t rank);

/// The extents without those of `axes`; with 1 in their place where `keep`.
Integers reduced(const Integers& dims, const std::vector<std::size_t>& axes, bool keep);

/// The product. Throws InputError where it cannot be counted exactly.
std::int64_t elements_of(const Integers& dims);

// Attributes of a node, with ONNX's defaults.
std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t fallback);
/// `count` integers; where absent, `count` times the fallback.
Integers integers_of(const Node& node, std::string_view name, std::size_t count,
                     std::int64_t fallback);
/// However many there are.
Integers list_of(const Node& node, std::string_view name);
std::string text_of(const Node& node, std::string_view name, std::string fallback);

}  // namespace oracle::onnx
