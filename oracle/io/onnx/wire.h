#pragma once
// How much would a parser have to hold of these bytes?
//
// An empty message takes two bytes of a file and a hundred or more in memory, so a small file could
// ask for gigabytes. The fields of all messages are counted before anything is allocated, and a
// file of more than two million is refused; of packed whole numbers, eight bytes count as one
// field.
//
// Worked: a graph of two nodes with an input each, one of them with an attribute, has 6 fields
//                                                                tests/io/onnx/wire_test.cpp

#include <cstddef>
#include <string_view>

namespace oracle::onnx {

inline constexpr std::size_t kMostFields = 2'000'000;

/// Fields of a model and of every message in it, up to kMostFields + 1. Counting ends where the
/// bytes are no protocol buffer.
std::size_t count_fields(std::string_view bytes);

}  // namespace oracle::onnx
