#include "microbench/elements/element.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

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

/// As one at a time, whichever instructions the processor has, and no further.
TEST(Element, RoundsValuesSideBySide) {
  std::vector<float> values;
  for (std::uint32_t i = 0; i < 3001; ++i) values.push_back(std::bit_cast<float>(i * 1431655U));
  const auto count = static_cast<std::int64_t>(values.size());
  for (const Element type : {Element::fp16, Element::bf16}) {
    const auto narrow = [&](float value) {
      return type == Element::fp16 ? float_to_fp16(value) : float_to_bf16(value);
    };
    const auto widen = [&](std::uint16_t bits) {
      return type == Element::fp16 ? fp16_to_float(bits) : bf16_to_float(bits);
    };
    std::vector<std::uint16_t> halves(values.size() + 1, 7), sums(values.size() + 1, 7);
    std::vector<float> again(values.size() + 1, 7);
    to_elements(type, values.data(), halves.data(), count);
    from_elements(type, halves.data(), again.data(), count);
    std::copy_n(halves.rbegin() + 1, values.size(), sums.begin());
    const std::vector<std::uint16_t> before = sums;
    add_elements(type, sums.data(), halves.data(), count);
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(halves[i], narrow(values[i])) << values[i];
      ASSERT_EQ(std::bit_cast<std::uint32_t>(again[i]),
                std::bit_cast<std::uint32_t>(widen(halves[i])));
      const float sum = widen(before[i]) + widen(halves[i]);
      ASSERT_TRUE(std::isnan(sum) ? std::isnan(widen(sums[i])) : sums[i] == narrow(sum));
    }
    EXPECT_EQ(halves.back(), 7);
    EXPECT_EQ(sums.back(), 7);
    EXPECT_EQ(again.back(), 7);
  }
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
