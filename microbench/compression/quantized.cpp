#include "microbench/compression/quantized.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>

#include "microbench/elements/vectorized.h"
#include "oracle/plan/exchanges/quantized.h"

namespace oracle {
namespace {

constexpr float kLargestCode = 127;
constexpr std::size_t kBlock = kQuantizedBlock;

std::size_t blocks_of(std::span<const float> values) {
  return static_cast<std::size_t>(quantized_blocks(static_cast<std::int64_t>(values.size())));
}

/// Calls `visit(values of the block, how many, its number)`.
template <typename Visit>
void for_each_block(std::span<float> values, Visit visit) {
  for (std::size_t block = 0; block * kBlock < values.size(); ++block) {
    const std::size_t begin = block * kBlock;
    visit(values.data() + begin, std::min(kBlock, values.size() - begin), block);
  }
}

/// The largest value over the largest code; not finite where a value is not.
ORACLE_VECTORIZED float scale_of(const float* values, std::size_t count) {
  // Magnitudes are ordered as their bits are.
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFU);
  }
  return largest < 0x7F800000U ? std::bit_cast<float>(largest) / kLargestCode
                               : std::numeric_limits<float>::quiet_NaN();
}

ORACLE_VECTORIZED void encode(float* __restrict values, std::size_t count, float scale,
                              std::int8_t* __restrict codes) {
  const float inverse = scale > 0 ? 1 / scale : 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float scaled = values[i] * inverse;
    const float rounded = scaled + (scaled < 0 ? -0.5F : 0.5F);
    const auto code =
        static_cast<std::int32_t>(std::min(kLargestCode, std::max(-kLargestCode, rounded)));
    codes[i] = static_cast<std::int8_t>(code);
    values[i] -= scale * static_cast<float>(code);
  }
}

ORACLE_VECTORIZED void add_codes(const std::int8_t* __restrict codes, std::size_t count,
                                 float scale, float* __restrict sum) {
  for (std::size_t i = 0; i < count; ++i) sum[i] += scale * static_cast<float>(codes[i]);
}

ORACLE_VECTORIZED void write_codes(const std::int8_t* __restrict codes, std::size_t count,
                                   float scale, float* __restrict to) {
  for (std::size_t i = 0; i < count; ++i) to[i] = scale * static_cast<float>(codes[i]);
}

static_assert(std::has_single_bit(kBlock));

using Means = std::array<float, 2>;  ///< of what is not negative, and of what is
constexpr std::size_t kWord = 32;
static_assert(kBlock % kWord == 0, "a block begins with a word of signs");

/// Adds the second half to the first until one is left: the same order on every processor.
using BlockOfFloats = std::array<float, kBlock>;
inline float sum_of(BlockOfFloats& values) {
  for (std::size_t half = kBlock / 2; half > 0; half /= 2) {
    const float* const second = values.data() + half;
    float* __restrict first = values.data();
    for (std::size_t i = 0; i < half; ++i) first[i] += second[i];
  }
  return values.front();
}

ORACLE_VECTORIZED Means means_of(const float* values, std::size_t count) {
  BlockOfFloats others, negatives;
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = values[i];
    others[i] = value < 0 ? 0 : value;
    negatives[i] = value < 0 ? value : 0;
    number += value < 0 ? 1 : 0;
  }
  std::fill(others.begin() + count, others.end(), 0.0F);
  std::fill(negatives.begin() + count, negatives.end(), 0.0F);
  return {sum_of(others) / std::max(static_cast<float>(count - number), 1.0F),
          sum_of(negatives) / std::max(static_cast<float>(number), 1.0F)};
}

/// A word of signs, of `count` values.
inline std::uint32_t encode_word(float* values, std::size_t count, float other, float negative) {
  std::uint32_t word = 0;
  for (std::size_t i = 0; i < count; ++i) word |= (values[i] < 0 ? 1U : 0U) << i;
  for (std::size_t i = 0; i < count; ++i) values[i] -= values[i] < 0 ? negative : other;
  return word;
}

ORACLE_VECTORIZED void encode_signs(float* __restrict values, std::size_t count, const Means& means,
                                    std::uint32_t* __restrict words) {
  const float other = means[0], negative = means[1];
  for (; count >= kWord; count -= kWord, values += kWord) {
    *words++ = encode_word(values, kWord, other, negative);
  }
  if (count > 0) *words = encode_word(values, count, other, negative);
}

/// Calls `put(place, mean that it stands for)`.
template <typename Put>
inline void read_signs(const std::uint32_t* __restrict words, std::size_t count, const float* means,
                       float* __restrict into, Put put) {
  const float other = means[0], negative = means[1];
  for (std::size_t begin = 0; begin < count; begin += kWord) {
    const std::uint32_t word = *words++;
    const std::size_t own = std::min(kWord, count - begin);
    for (std::size_t i = 0; i < own; ++i) {
      put(into[begin + i], (word >> i & 1U) != 0 ? negative : other);
    }
  }
}

ORACLE_VECTORIZED void add_signs(const std::uint32_t* words, std::size_t count, const float* means,
                                 float* sum) {
  read_signs(words, count, means, sum, [](float& place, float mean) { place += mean; });
}

ORACLE_VECTORIZED void write_signs(const std::uint32_t* words, std::size_t count,
                                   const float* means, float* to) {
  read_signs(words, count, means, to, [](float& place, float mean) { place = mean; });
}

/// Calls `take` for each block: `add_codes`, or `write_codes`.
template <auto take>
void take_int8(const std::byte* from, std::span<float> into) {
  const auto* scales = reinterpret_cast<const float*>(from);
  const auto* codes = reinterpret_cast<const std::int8_t*>(scales + blocks_of(into));
  for_each_block(into, [&](float* block, std::size_t count, std::size_t number) {
    take(codes + number * kBlock, count, scales[number], block);
  });
}

/// The same of `add_signs` or `write_signs`.
template <auto take>
void take_onebit(const std::byte* from, std::span<float> into) {
  const auto* means = reinterpret_cast<const float*>(from);
  const auto* words = reinterpret_cast<const std::uint32_t*>(means + 2 * blocks_of(into));
  for_each_block(into, [&](float* block, std::size_t count, std::size_t number) {
    take(words + number * kBlock / kWord, count, means + 2 * number, block);
  });
}

}  // namespace

void compress_int8(std::span<float> values, double, std::byte* to) {
  auto* scales = reinterpret_cast<float*>(to);
  auto* codes = reinterpret_cast<std::int8_t*>(scales + blocks_of(values));
  for_each_block(values, [&](float* block, std::size_t count, std::size_t number) {
    scales[number] = scale_of(block, count);
    encode(block, count, scales[number], codes + number * kBlock);
  });
}

void add_int8(const std::byte* from, double, std::span<float> sum) {
  take_int8<add_codes>(from, sum);
}

void write_int8(const std::byte* from, double, std::span<float> to) {
  take_int8<write_codes>(from, to);
}

void compress_onebit(std::span<float> values, double, std::byte* to) {
  auto* means = reinterpret_cast<float*>(to);
  auto* words = reinterpret_cast<std::uint32_t*>(means + 2 * blocks_of(values));
  for_each_block(values, [&](float* block, std::size_t count, std::size_t number) {
    const Means own = means_of(block, count);
    std::copy(own.begin(), own.end(), means + 2 * number);
    encode_signs(block, count, own, words + number * kBlock / kWord);
  });
}

void add_onebit(const std::byte* from, double, std::span<float> sum) {
  take_onebit<add_signs>(from, sum);
}

void write_onebit(const std::byte* from, double, std::span<float> to) {
  take_onebit<write_signs>(from, to);
}

}  // namespace oracle
