#include "microbench/elements/element.h"

#include <cstring>

#include "microbench/elements/vectorized.h"

namespace oracle {
namespace {

using Half = std::uint16_t;

ORACLE_VECTORIZED void add_fp32(float* into, const float* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) into[i] += from[i];
}

ORACLE_VECTORIZED void add_bf16(Half* into, const Half* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    into[i] = float_to_bf16(bf16_to_float(into[i]) + bf16_to_float(from[i]));
  }
}

ORACLE_VECTORIZED void add_fp16(Half* into, const Half* from, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    into[i] = float_to_fp16(fp16_to_float(into[i]) + fp16_to_float(from[i]));
  }
}

ORACLE_VECTORIZED void to_bf16(const float* from, Half* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = float_to_bf16(from[i]);
}

ORACLE_VECTORIZED void to_fp16(const float* from, Half* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = float_to_fp16(from[i]);
}

ORACLE_VECTORIZED void from_bf16(const Half* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = bf16_to_float(from[i]);
}

ORACLE_VECTORIZED void from_fp16(const Half* from, float* to, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) to[i] = fp16_to_float(from[i]);
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
    case Element::fp32:
      return add_fp32(static_cast<float*>(into), static_cast<const float*>(from), count);
    case Element::bf16:
      return add_bf16(static_cast<Half*>(into), static_cast<const Half*>(from), count);
    case Element::fp16:
      return add_fp16(static_cast<Half*>(into), static_cast<const Half*>(from), count);
  }
}

void to_elements(Element type, const float* from, void* to, std::int64_t count) {
  switch (type) {
    case Element::fp32:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case Element::bf16:
      return to_bf16(from, static_cast<Half*>(to), count);
    case Element::fp16:
      return to_fp16(from, static_cast<Half*>(to), count);
  }
}

void from_elements(Element type, const void* from, float* to, std::int64_t count) {
  switch (type) {
    case Element::fp32:
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(float));
      return;
    case Element::bf16:
      return from_bf16(static_cast<const Half*>(from), to, count);
    case Element::fp16:
      return from_fp16(static_cast<const Half*>(from), to, count);
  }
}

}  // namespace oracle
