#include "validate/compression/quantized.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "microbench/elements/element.h"
#include "oracle/plan/exchanges/quantized.h"

namespace oracle {
namespace {

constexpr float kLargestCode = 127;
constexpr std::size_t kBlock = kQuantizedBlock;

std::size_t blocks_of(std::span<const float> values) {
  return static_cast<std::size_t>(quantized_blocks(static_cast<std::int64_t>(values.size())));
}

/// Calls `visit(values of the block, its number)`.
template <typename Value, typename Visit>
void for_each_block(std::span<Value> values, Visit visit) {
  for (std::size_t block = 0; block * kBlock < values.size(); ++block) {
    const std::size_t begin = block * kBlock;
    visit(values.subspan(begin, std::min(kBlock, values.size() - begin)), block);
  }
}

template <std::uint16_t (*narrow)(float), float (*widen)(std::uint16_t)>
void compress_halves(std::span<float> values, std::byte* to) {
  auto* halves = reinterpret_cast<std::uint16_t*>(to);
  for (std::size_t i = 0; i < values.size(); ++i) {
    halves[i] = narrow(values[i]);
    values[i] -= widen(halves[i]);
  }
}

template <float (*widen)(std::uint16_t)>
void add_halves(const std::byte* from, std::span<float> sum) {
  const auto* halves = reinterpret_cast<const std::uint16_t*>(from);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += widen(halves[i]);
}

/// The largest value over the largest code; not finite where a value is not.
float scale_of(std::span<const float> values) {
  float largest = 0, zero = 0;
  for (const float value : values) {
    largest = std::max(largest, std::abs(value));
    zero += value * 0;
  }
  return zero == 0 ? largest / kLargestCode : std::numeric_limits<float>::quiet_NaN();
}

std::int8_t code_of(float scaled) {
  const float rounded = scaled + (scaled < 0 ? -0.5F : 0.5F);
  return static_cast<std::int8_t>(std::min(kLargestCode, std::max(-kLargestCode, rounded)));
}

/// The means of what is not negative and of what is.
std::array<float, 2> means_of(std::span<const float> values) {
  std::array<float, 2> sums{}, counts{};
  for (const float value : values) {
    const std::size_t sign = value < 0 ? 1 : 0;
    sums[sign] += value;
    ++counts[sign];
  }
  for (std::size_t sign = 0; sign < 2; ++sign) sums[sign] /= std::max(counts[sign], 1.0F);
  return sums;
}

constexpr std::size_t kWord = 32;
static_assert(kBlock % kWord == 0, "a block begins with a word of signs");

}  // namespace

void compress_fp16(std::span<float> values, double, std::byte* to) {
  compress_halves<float_to_fp16, fp16_to_float>(values, to);
}
void add_fp16(const std::byte* from, double, std::span<float> sum) {
  add_halves<fp16_to_float>(from, sum);
}
void compress_bf16(std::span<float> values, double, std::byte* to) {
  compress_halves<float_to_bf16, bf16_to_float>(values, to);
}
void add_bf16(const std::byte* from, double, std::span<float> sum) {
  add_halves<bf16_to_float>(from, sum);
}

void compress_int8(std::span<float> values, double, std::byte* to) {
  auto* scales = reinterpret_cast<float*>(to);
  auto* codes = reinterpret_cast<std::int8_t*>(scales + blocks_of(values));
  for_each_block(values, [&](std::span<float> block, std::size_t number) {
    const float scale = scale_of(block), inverse = scale > 0 ? 1 / scale : 0;
    scales[number] = scale;
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::int8_t code = code_of(block[i] * inverse);
      codes[number * kBlock + i] = code;
      block[i] -= scale * static_cast<float>(code);
    }
  });
}

void add_int8(const std::byte* from, double, std::span<float> sum) {
  const auto* scales = reinterpret_cast<const float*>(from);
  const auto* codes = reinterpret_cast<const std::int8_t*>(scales + blocks_of(sum));
  for_each_block(sum, [&](std::span<float> block, std::size_t number) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      block[i] += scales[number] * static_cast<float>(codes[number * kBlock + i]);
    }
  });
}

void compress_onebit(std::span<float> values, double, std::byte* to) {
  auto* means = reinterpret_cast<float*>(to);
  auto* words = reinterpret_cast<std::uint32_t*>(means + 2 * blocks_of(values));
  for_each_block(values, [&](std::span<float> block, std::size_t number) {
    const std::array<float, 2> own = means_of(block);
    std::copy(own.begin(), own.end(), means + 2 * number);
    for (std::size_t begin = 0; begin < block.size(); begin += kWord) {
      std::uint32_t word = 0;
      for (std::size_t i = begin; i < std::min(begin + kWord, block.size()); ++i) {
        const std::uint32_t sign = block[i] < 0 ? 1 : 0;
        word |= sign << (i - begin);
        block[i] -= own[sign];
      }
      words[(number * kBlock + begin) / kWord] = word;
    }
  });
}

void add_onebit(const std::byte* from, double, std::span<float> sum) {
  const auto* means = reinterpret_cast<const float*>(from);
  const auto* words = reinterpret_cast<const std::uint32_t*>(means + 2 * blocks_of(sum));
  for_each_block(sum, [&](std::span<float> block, std::size_t number) {
    for (std::size_t i = 0; i < block.size(); ++i) {
      const std::uint32_t word = words[(number * kBlock + i) / kWord];
      block[i] += means[2 * number + (word >> (i % kWord) & 1U)];
    }
  });
}

}  // namespace oracle
