#pragma once
// How are gradients rounded to codes of fewer bits? (plan/exchanges/quantized.h has the layouts.)
//
// Worked: 1, -0.5, 0.25 by int8: scale 1/127, codes 127, -64, 32, of which the second says -0.5039
// and leaves 0.0039. By onebit: means 0.625 and -0.5, signs 101, which leave 0.375, 0, -0.375
//                                                   tests/microbench/compression/codec_test.cpp

#include <cstddef>
#include <span>

namespace oracle {

void compress_int8(std::span<float> values, double parameter, std::byte* to);
void add_int8(const std::byte* from, double parameter, std::span<float> sum);
void write_int8(const std::byte* from, double parameter, std::span<float> to);
void compress_onebit(std::span<float> values, double parameter, std::byte* to);
void add_onebit(const std::byte* from, double parameter, std::span<float> sum);
void write_onebit(const std::byte* from, double parameter, std::span<float> to);

}  // namespace oracle
