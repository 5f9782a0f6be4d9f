#include "microbench/kernels/arena.h"

#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <random>
#include <vector>

namespace oracle {
namespace arena_test {

TEST(Arena, TakesTheSmallestPlaceThatHolds) {
  std::vector<std::byte> chunk(512);
  Arena arena;
  arena.add(chunk.data(), 256);
  arena.add(chunk.data() + 320, 128);
  EXPECT_EQ(arena.take(100), chunk.data() + 320);
  EXPECT_EQ(arena.take(100), chunk.data());
  EXPECT_EQ(arena.places(), 1U);
}

TEST(Arena, HasNoPlaceForMoreThanTheLargest) {
  std::vector<std::byte> chunk(192);
  Arena arena;
  EXPECT_EQ(arena.take(1), nullptr);
  arena.add(chunk.data(), 192);
  EXPECT_EQ(arena.take(193), nullptr);
  EXPECT_EQ(arena.take(192), chunk.data());
}

TEST(Arena, PlacesGrowTogetherInAnyOrder) {
  std::vector<std::byte> chunk(192);
  const std::vector<std::vector<int>> orders = {{0, 1, 2}, {2, 1, 0}, {0, 2, 1}, {1, 0, 2}};
  for (const std::vector<int>& order : orders) {
    Arena arena;
    arena.add(chunk.data(), 192);
    std::vector<void*> taken;
    for (int i = 0; i < 3; ++i) taken.push_back(arena.take(64));
    EXPECT_EQ(arena.places(), 0U);
    for (const int i : order) arena.give(taken[static_cast<std::size_t>(i)], 64);
    EXPECT_EQ(arena.places(), 1U);
    EXPECT_EQ(arena.take(192), chunk.data());
  }
}

// Thousands of requests in random order: what is live never overlaps and stays within the chunk,
// and all of it is one place in the end.
TEST(Arena, LivePlacesNeverOverlap) {
  constexpr std::int64_t kBytes = 1 << 16;
  std::vector<std::byte> chunk(kBytes);
  Arena arena;
  arena.add(chunk.data(), kBytes);
  std::map<std::byte*, std::int64_t> live;
  std::mt19937 random(7);
  for (int i = 0; i < 20000; ++i) {
    const std::int64_t bytes = 1 + random() % 2000;
    auto* place = random() % 2 == 0 ? static_cast<std::byte*>(arena.take(bytes)) : nullptr;
    if (place != nullptr) {
      ASSERT_GE(place, chunk.data());
      ASSERT_LE(place + bytes, chunk.data() + kBytes);
      const auto next = live.lower_bound(place);
      if (next != live.end()) {
        ASSERT_LE(place + bytes, next->first);
      }
      if (next != live.begin()) {
        ASSERT_LE(std::prev(next)->first + std::prev(next)->second, place);
      }
      live.emplace(place, bytes);
    } else if (!live.empty()) {
      const auto gone =
          std::next(live.begin(), static_cast<std::ptrdiff_t>(random() % live.size()));
      arena.give(gone->first, gone->second);
      live.erase(gone);
    }
  }
  for (const auto& [place, bytes] : live) arena.give(place, bytes);
  EXPECT_EQ(arena.places(), 1U);
}

}  // namespace arena_test
}  // namespace oracle
