#pragma once
// What does a count-sketch say of a gradient? (plan/exchanges/sparse.h has its size.)
//
// Row by row, cell by cell: value i is added to cell h_r(i) of row r with sign s_r(i). Cells of
// several ranks add up, and the median over rows of s_r(i)·cell is the estimate of value i.
//
// Worked: of 1000 values of which ten are ±100 and the others within ±1, 1 % sketches find those
// ten
//                                                   tests/microbench/compression/sketch_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oracle {

/// Leaves the values as they are.
void compress_sketch(std::span<float> values, double share, std::byte* to);
/// The estimate of each value.
void write_sketch(const std::byte* from, double share, std::span<float> values);
/// Places of the k values whose estimates are largest by magnitude, ascending.
std::vector<std::uint32_t> places_in_sketch(const std::byte* from, double share,
                                            std::span<float> room);

}  // namespace oracle
