#pragma once
// Which are the largest values of a gradient? (plan/exchanges/sparse.h has how many.)
//
// A histogram of the bits of magnitudes, which are ordered as these are, says in three passes above
// which all are sent and how many of those that are equal to it. Of equal ones the first are sent.
//
// Worked: two of 1, -3, 0.5, 3 are -3 and 3, at places 1 and 3
//                                                   tests/microbench/compression/codec_test.cpp

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oracle {

/// Places, then values, in ascending order of places.
void compress_topk(std::span<float> values, double share, std::byte* to);
void add_topk(const std::byte* from, double share, std::span<float> sum);
void write_topk(const std::byte* from, double share, std::span<float> to);
/// In ascending order.
std::vector<std::uint32_t> places_of_largest(std::span<const float> values, double share);
/// Of the sums of what two selected among `elements` values the largest.
void merge_topk(const std::byte* one, const std::byte* other, std::int64_t elements, double share,
                std::byte* to);
void take_back_topk(const std::byte* sent, const std::byte* arrived, double share,
                    std::span<float> left);

}  // namespace oracle
