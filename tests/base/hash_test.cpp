#include "oracle/base/hash.h"

#include <gtest/gtest.h>
#include <set>

namespace oracle {
namespace hash_test {

TEST(Hash, WorkedNumber) {
  std::uint64_t hash = 0;
  mix(hash, 1);
  EXPECT_EQ(hash, 0x9e3779b97f4a7c15U ^ 0x9e3779b9U);
}

/// Test vectors of the draft (appendix C).
TEST(Hash, BytesAsPublished) {
  EXPECT_EQ(Fnv1a().digits(), "cbf29ce484222325");
  Fnv1a a, foobar;
  a.add("a");
  EXPECT_EQ(a.digits(), "af63dc4c8601ec8c");
  foobar.add("foo");
  foobar.add("bar");
  EXPECT_EQ(foobar.value(), 0x85944171f73967e8U);
}

/// Tables take the low bits: of neighbouring words hardly two may share them.
TEST(Hash, NeighboursScatterInTheLowBits) {
  std::set<std::uint64_t> seen;
  for (std::uint64_t word = 0; word < 64; ++word) {
    std::uint64_t hash = 0;
    mix(hash, word);
    seen.insert(hash & 1023U);
  }
  EXPECT_GT(seen.size(), 56U);
}

}  // namespace hash_test
}  // namespace oracle
