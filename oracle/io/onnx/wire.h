#pragma once
// Which messages do the bytes of an ONNX model hold, and what is left of them without the weights?
//
// A model is walked in the wire format of protocol buffers, before anything is allocated. Data of a
// tensor that is longer than kMostData bytes is a weight of which only the extents count, and is
// passed over unread: a file of any size takes as much memory as its graph.
//
// An empty message takes two bytes of a file and a hundred or more in memory, so a small file could
// ask for gigabytes. The fields that are left are counted, and more than two million are refused;
// of packed integers, eight bytes count as one field.
//
// Worked: a graph of two nodes with an input each, one of them with an attribute, has 6 fields
//                                                                tests/io/onnx/wire_test.cpp

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/io/onnx/byte_source.h"

namespace oracle::onnx {

inline constexpr std::size_t kMostFields = 2'000'000;

/// The longest data of a tensor that is kept.
inline constexpr std::size_t kMostData = std::size_t{32} << 10U;

/// The most that is kept of a model.
inline constexpr std::size_t kMostSkeleton = std::size_t{128} << 20U;

/// Fields of a model and of every message in it, up to kMostFields + 1. Counting ends where the
/// bytes are not a protocol buffer.
std::size_t count_fields(std::string_view bytes);

/// The model without the data of its large tensors. Nothing where the bytes are not a protocol
/// buffer, or more than kMostSkeleton are left.
std::optional<std::string> without_weights(ByteSource& bytes);

}  // namespace oracle::onnx
