#include "validate/data/order.h"

#include <bit>

#include "validate/data/random.h"

namespace oracle {
namespace {

constexpr std::uint64_t kOrder = 0x6f72646572;
constexpr int kRounds = 6;

std::uint64_t permuted(std::uint64_t key, std::uint64_t place, int half_bits) {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits) - 1;
  std::uint64_t left = place >> half_bits;
  std::uint64_t right = place & mask;
  for (int round = 0; round < kRounds; ++round) {
    const std::uint64_t next = left ^ (mixed(key, static_cast<std::uint64_t>(round), right) & mask);
    left = right;
    right = next;
  }
  return left << half_bits | right;
}

}  // namespace

std::int64_t image_of(std::uint64_t seed, std::int64_t sample, std::int64_t images) {
  const auto count = static_cast<std::uint64_t>(images);
  const auto place = static_cast<std::uint64_t>(sample % images);
  const std::uint64_t key = mixed(seed, kOrder, static_cast<std::uint64_t>(sample / images));
  const auto half_bits = static_cast<int>((std::bit_width(count - 1) + 1) / 2);
  std::uint64_t image = permuted(key, place, half_bits);
  while (image >= count) image = permuted(key, image, half_bits);
  return static_cast<std::int64_t>(image);
}

}  // namespace oracle
