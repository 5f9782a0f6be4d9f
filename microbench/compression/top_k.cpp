#include "microbench/compression/top_k.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

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

template <typename Visit>
void for_each_of_largest(std::span<const float> values, std::size_t count, Visit visit) {
  Threshold threshold = threshold_of(values, static_cast<std::int64_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t order = order_of(values[i]);
    if (order < threshold.order) continue;
    if (order == threshold.order && threshold.equal-- <= 0) continue;
    visit(i);
  }
}

/// What is packed.
struct Selected {
  std::span<const std::uint32_t> places;
  std::span<const float> values;
};

Selected selected(const std::byte* from, std::size_t count) {
  const auto* places = reinterpret_cast<const std::uint32_t*>(from);
  return {{places, count}, {reinterpret_cast<const float*>(places + count), count}};
}

}  // namespace

void compress_topk(std::span<float> values, double share, std::byte* to) {
  const std::size_t count = kept(values, share);
  auto* places = reinterpret_cast<std::uint32_t*>(to);
  auto* sent = reinterpret_cast<float*>(places + count);
  for_each_of_largest(values, count, [&](std::size_t i) {
    *places++ = static_cast<std::uint32_t>(i);
    *sent++ = values[i];
    values[i] = 0;
  });
}

std::vector<std::uint32_t> places_of_largest(std::span<const float> values, double share) {
  std::vector<std::uint32_t> places;
  for_each_of_largest(values, kept(values, share),
                      [&](std::size_t i) { places.push_back(static_cast<std::uint32_t>(i)); });
  return places;
}

void add_topk(const std::byte* from, double share, std::span<float> sum) {
  const std::size_t count = kept(sum, share);
  const Selected sent = selected(from, count);
  for (std::size_t i = 0; i < count; ++i) sum[sent.places[i]] += sent.values[i];
}

void write_topk(const std::byte* from, double share, std::span<float> to) {
  std::fill(to.begin(), to.end(), 0.0F);
  add_topk(from, share, to);
}

void merge_topk(const std::byte* one, const std::byte* other, std::int64_t elements, double share,
                std::byte* to) {
  const auto count = static_cast<std::size_t>(kept_values(elements, share));
  const Selected first = selected(one, count), second = selected(other, count);
  std::vector<std::uint32_t> places;
  std::vector<float> sums;
  for (std::size_t i = 0, j = 0; i < count || j < count;) {
    const bool of_first = j == count || (i < count && first.places[i] <= second.places[j]);
    const bool of_second = i == count || (j < count && second.places[j] <= first.places[i]);
    places.push_back(of_first ? first.places[i] : second.places[j]);
    sums.push_back((of_first ? first.values[i++] : 0) + (of_second ? second.values[j++] : 0));
  }
  auto* kept_places = reinterpret_cast<std::uint32_t*>(to);
  auto* kept_sums = reinterpret_cast<float*>(kept_places + count);
  for_each_of_largest(sums, count, [&](std::size_t i) {
    *kept_places++ = places[i];
    *kept_sums++ = sums[i];
  });
}

void take_back_topk(const std::byte* sent, const std::byte* arrived, double share,
                    std::span<float> left) {
  const std::size_t count = kept(left, share);
  const Selected own = selected(sent, count), all = selected(arrived, count);
  for (std::size_t i = 0; i < count; ++i) {
    if (std::binary_search(all.places.begin(), all.places.end(), own.places[i])) continue;
    left[own.places[i]] += own.values[i];
  }
}

}  // namespace oracle
