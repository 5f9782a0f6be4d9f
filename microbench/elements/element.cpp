#include "microbench/elements/element.h"

#include <bit>
#include <cmath>

namespace oracle {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F800000;

template <float (*widen)(std::uint16_t), std::uint16_t (*narrow)(float)>
void add_halves(void* into, const void* from, std::int64_t count) {
  auto* sums = static_cast<std::uint16_t*>(into);
  const auto* addends = static_cast<const std::uint16_t*>(from);
  for (std::int64_t i = 0; i < count; ++i) sums[i] = narrow(widen(sums[i]) + widen(addends[i]));
}

}  // namespace

std::size_t element_bytes(Element type) { return type == Element::fp32 ? 4 : 2; }

const char* element_name(Element type) {
  switch (type) {
    case Element::fp32:
      return "fp32";
    case Element::bf16:
      return "bf16";
    case Element::fp16:
      return "fp16";
  }
  return "";
}

void add_elements(Element type, void* into, const void* from, std::int64_t count) {
  switch (type) {
    case Element::fp32: {
      auto* sums = static_cast<float*>(into);
      const auto* addends = static_cast<const float*>(from);
      for (std::int64_t i = 0; i < count; ++i) sums[i] += addends[i];
      return;
    }
    case Element::bf16:
      return add_halves<bf16_to_float, float_to_bf16>(into, from, count);
    case Element::fp16:
      return add_halves<fp16_to_float, float_to_fp16>(into, from, count);
  }
}

float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

std::uint16_t float_to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  // A NaN whose payload lies in the lower half must not become an infinity.
  if (std::isnan(value)) return static_cast<std::uint16_t>((bits >> 16) | 0x40U);
  return static_cast<std::uint16_t>((bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16);
}

float fp16_to_float(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000U) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1FU;
  const std::uint32_t fraction = bits & 0x3FFU;
  if (exponent == 0x1F) {
    return std::bit_cast<float>(sign | kFloatInfinity | (fraction << 13));
  }
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

std::uint16_t float_to_fp16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000U);
  const float magnitude = std::fabs(value);
  if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7E00U);
  // Half way from the largest fp16, 65504, to the next power of two.
  if (magnitude >= 65520.0F) return static_cast<std::uint16_t>(sign | 0x7C00U);
  if (magnitude < 0x1p-14F) {
    // Adding 1/2 puts 2^-24, the spacing of subnormal fp16, at fp32's last bit.
    const auto shifted = std::bit_cast<std::uint32_t>(magnitude + 0.5F);
    return static_cast<std::uint16_t>(sign | (shifted - std::bit_cast<std::uint32_t>(0.5F)));
  }
  const std::uint32_t plain = bits & 0x7FFFFFFFU;
  const std::uint32_t rounded = plain + 0xFFFU + ((plain >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rounded >> 13) - (112U << 10)));
}

}  // namespace oracle
