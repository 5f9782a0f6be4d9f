#include "validate/compression/top_k.h"

#include <array>
#include <bit>
#include <cstdint>

#include "oracle/plan/exchanges/sparse.h"

namespace oracle {
namespace {

/// Ordered as magnitudes are; those that are no numbers come last.
std::uint32_t order_of(float value) { return std::bit_cast<std::uint32_t>(value) & 0x7fffffffU; }

/// All above are among the largest, and so many of those that are equal.
struct Threshold {
  std::uint32_t order = 0;
  std::int64_t equal = 0;
};

/// The bits that a pass looks at.
struct Digit {
  std::uint32_t shift, bits;
};
constexpr std::array<Digit, 3> kDigits = {{{20, 11}, {10, 10}, {0, 10}}};

Threshold threshold_of(std::span<const float> values, std::int64_t count) {
  Threshold found{0, count};
  for (const Digit& digit : kDigits) {
    std::array<std::int64_t, 2048> counts{};
    const std::uint32_t mask = (1U << digit.bits) - 1;
    for (const float value : values) {
      const std::uint32_t order = order_of(value);
      if (order >> (digit.shift + digit.bits) == found.order) ++counts[order >> digit.shift & mask];
    }
    std::uint32_t last = mask;
    while (last > 0 && counts[last] < found.equal) found.equal -= counts[last--];
    found.order = found.order << digit.bits | last;
  }
  return found;
}

std::size_t kept(std::span<const float> values, double share) {
  return static_cast<std::size_t>(kept_values(static_cast<std::int64_t>(values.size()), share));
}

}  // namespace

void compress_topk(std::span<float> values, double share, std::byte* to) {
  const std::size_t count = kept(values, share);
  Threshold threshold = threshold_of(values, static_cast<std::int64_t>(count));
  auto* places = reinterpret_cast<std::uint32_t*>(to);
  auto* sent = reinterpret_cast<float*>(places + count);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t order = order_of(values[i]);
    if (order < threshold.order) continue;
    if (order == threshold.order && threshold.equal-- <= 0) continue;
    *places++ = static_cast<std::uint32_t>(i);
    *sent++ = values[i];
    values[i] = 0;
  }
}

void add_topk(const std::byte* from, double share, std::span<float> sum) {
  const std::size_t count = kept(sum, share);
  const auto* places = reinterpret_cast<const std::uint32_t*>(from);
  const auto* sent = reinterpret_cast<const float*>(places + count);
  for (std::size_t i = 0; i < count; ++i) sum[places[i]] += sent[i];
}

}  // namespace oracle
