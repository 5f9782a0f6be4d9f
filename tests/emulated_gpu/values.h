#pragma once
// Values of the emulated device in the types that its libraries take. A double is rounded to fp32
// and then to its type, as a library rounds its sum.

#include <cstdint>

#include "microbench/elements/element.h"

namespace oracle::emulated {

struct Array {
  const void* data = nullptr;
  Element type = Element::fp32;

  double operator[](std::int64_t i) const {
    if (type == Element::fp32) return double{static_cast<const float*>(data)[i]};
    const std::uint16_t bits = static_cast<const std::uint16_t*>(data)[i];
    return double{type == Element::bf16 ? bf16_to_float(bits) : fp16_to_float(bits)};
  }
};

inline void put(void* data, Element type, std::int64_t i, double value) {
  const auto rounded = static_cast<float>(value);
  if (type == Element::fp32) {
    static_cast<float*>(data)[i] = rounded;
  } else {
    static_cast<std::uint16_t*>(data)[i] =
        type == Element::bf16 ? float_to_bf16(rounded) : float_to_fp16(rounded);
  }
}

}  // namespace oracle::emulated
