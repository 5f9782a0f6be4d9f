#include "microbench/elements/element.h"

#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace oracle {
namespace element_test {

/// The number that sign, exponent and fraction stand for, by IEEE 754's definition.
double decoded(std::uint16_t bits, int exponent_bits, int fraction_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const int exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1);
  const int fraction = bits & ((1 << fraction_bits) - 1);
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == (1 << exponent_bits) - 1) {
    return fraction != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  const double scale = std::ldexp(1.0, -fraction_bits);
  if (exponent == 0) return sign * std::ldexp(fraction * scale, 1 - bias);
  return sign * std::ldexp(1 + fraction * scale, exponent - bias);
}

TEST(Element, EveryHalfIsReadAndWrittenBackAsItWas) {
  for (int i = 0; i <= 0xFFFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const double fp16 = decoded(bits, 5, 10);
    const double bf16 = decoded(bits, 8, 7);
    if (std::isnan(fp16)) {
      ASSERT_TRUE(std::isnan(fp16_to_float(bits)));
      ASSERT_TRUE(std::isnan(fp16_to_float(float_to_fp16(fp16_to_float(bits)))));
    } else {
      ASSERT_EQ(fp16_to_float(bits), fp16) << i;
      ASSERT_EQ(float_to_fp16(fp16_to_float(bits)), bits);
    }
    if (std::isnan(bf16)) {
      ASSERT_TRUE(std::isnan(bf16_to_float(float_to_bf16(bf16_to_float(bits)))));
    } else {
      ASSERT_EQ(bf16_to_float(bits), bf16) << i;
      ASSERT_EQ(float_to_bf16(bf16_to_float(bits)), bits);
    }
  }
}

/// Half way between two neighbours goes to the even one, a hair beside it to the nearer.
TEST(Element, RoundsToNearestTiesToEven) {
  for (int i = 0; i < 0x7BFF; ++i) {
    const auto bits = static_cast<std::uint16_t>(i);
    const auto next = static_cast<std::uint16_t>(i + 1);
    const auto middle = static_cast<float>((decoded(bits, 5, 10) + decoded(next, 5, 10)) / 2);
    ASSERT_EQ(float_to_fp16(middle), i % 2 == 0 ? bits : next) << i;
    ASSERT_EQ(float_to_fp16(std::nextafter(middle, 0.0F)), bits) << i;
    ASSERT_EQ(float_to_fp16(std::nextafter(middle, 1e9F)), next) << i;
  }
  EXPECT_EQ(float_to_fp16(65519.0F), 0x7BFF);
  EXPECT_EQ(float_to_fp16(65520.0F), 0x7C00);
  EXPECT_EQ(float_to_bf16(1.0F + 0x1p-8F), 0x3F80);
  EXPECT_EQ(float_to_bf16(1.0F + 0x3p-8F), 0x3F82);
}

TEST(Element, WorkedExampleOfTheHeader) {
  std::array<std::uint16_t, 1> sum = {0x3C00};
  const std::array<std::uint16_t, 1> addend = {0x1000};
  add_elements(Element::fp16, sum.data(), addend.data(), 1);
  EXPECT_EQ(sum[0], 0x3C00);
}

TEST(Element, AddsEachElementOnce) {
  std::array<float, 3> sum = {1, 2, 3};
  const std::array<float, 3> addend = {10, 20, 30};
  add_elements(Element::fp32, sum.data(), addend.data(), 2);
  EXPECT_EQ(sum, (std::array<float, 3>{11, 22, 3}));
  EXPECT_EQ(element_bytes(Element::fp32), 4U);
  EXPECT_EQ(element_bytes(Element::bf16), 2U);
}

}  // namespace element_test
}  // namespace oracle
