#pragma once
// In which formats are values kept and exchanged, how large is one, and what is the sum of two?
//
// fp32 adds in fp32. bf16 and fp16 add in fp32 and round to nearest, ties to even, at each
// addition.
//
// Worked: fp16 0x3C00 (1) + 0x1000 (2^-11) = 0x3C00, a tie that goes to the even neighbour.
//                                                        tests/microbench/elements/element_test.cpp

#include <bit>
#include <cstddef>
#include <cstdint>

namespace oracle {

enum class Element : std::uint8_t { fp32, bf16, fp16 };

std::size_t element_bytes(Element type);

/// "fp32"
const char* element_name(Element type);

/// into[i] += from[i]
void add_elements(Element type, void* into, const void* from, std::int64_t count);

/// Rounds values to elements, and back.
void to_elements(Element type, const float* from, void* to, std::int64_t count);
void from_elements(Element type, const void* from, float* to, std::int64_t count);

inline float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

// Without branches, for loops over values: all cases are worked out, and one is taken.

inline std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  // A NaN whose payload lies in the lower half must not become an infinity.
  const bool is_nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return static_cast<std::uint16_t>(is_nan ? bits >> 16 | 0x40U : rounded);
}

inline float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  const auto small =
      std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<int>(fraction)) * 0x1p-24F);
  const std::uint32_t normal = ((exponent + 112) << 23) | (fraction << 13);
  const std::uint32_t infinite = 0x7F800000U | (fraction << 13);
  const std::uint32_t finite = exponent == 0 ? small : normal;
  return std::bit_cast<float>(sign | (exponent == 0x1F ? infinite : finite));
}

inline std::uint16_t float_to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (bits >> 16) & 0x8000U;
  const std::uint32_t plain = bits & 0x7FFFFFFFU;
  // Adding 1/2 puts 2^-24, the spacing of subnormal fp16, at fp32's last bit.
  const std::uint32_t small = std::bit_cast<std::uint32_t>(std::bit_cast<float>(plain) + 0.5F) -
                              std::bit_cast<std::uint32_t>(0.5F);
  const std::uint32_t rounded = (plain + 0xFFFU + ((plain >> 13) & 1U)) >> 13;
  const std::uint32_t finite =
      plain < std::bit_cast<std::uint32_t>(0x1p-14F) ? small : rounded - (112U << 10);
  // Half way from the largest fp16, 65504, to the next power of two.
  const std::uint32_t number = plain >= std::bit_cast<std::uint32_t>(65520.0F) ? 0x7C00U : finite;
  return static_cast<std::uint16_t>(sign | (plain > 0x7F800000U ? 0x7E00U : number));
}

}  // namespace oracle
