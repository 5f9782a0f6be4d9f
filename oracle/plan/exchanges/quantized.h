#pragma once
// How many bytes do gradients take whose values are rounded to fewer bits?
//
//   fp16, bf16   2 bytes a value, rounded to nearest
//   int8         a code of 8 bits a value, and a scale, the largest of a block over 127, for 512
//                values, the bucket of Alistarh et al., "QSGD", arXiv 1610.02132
//   onebit       the sign of each, and the means of what is negative and of what is not, for 512
//                values: Seide et al., "1-Bit SGD", Interspeech 2014, who take a column for a block
//
// Worked: 1000 values take 2000 bytes by bf16, 1000 + 2·4 = 1008 by int8, and 128 + 2·8 = 144 by
// onebit                                   tests/plan/exchanges/gradient_exchange_test.cpp

#include <cstdint>

namespace oracle {

/// Values that have a scale of their own.
inline constexpr std::int64_t kQuantizedBlock = 512;

inline std::int64_t quantized_blocks(std::int64_t elements) {
  return (elements + kQuantizedBlock - 1) / kQuantizedBlock;
}

std::int64_t half_bytes(std::int64_t elements, double);
std::int64_t int8_bytes(std::int64_t elements, double);
std::int64_t onebit_bytes(std::int64_t elements, double);

}  // namespace oracle
