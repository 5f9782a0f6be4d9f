#include "oracle/cost/collectives/double_tree.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "oracle/cost/collectives/ring.h"
#include "tests/cost/collectives/groups.h"

namespace oracle {
namespace double_tree_test {

TEST(DoubleTree, WorkedNumber) {
  const Group group = two_levels(8, 4, kMicro, 10 * kGiga, 10 * kMicro, kGiga);
  EXPECT_NEAR(double_tree_all_reduce(Bytes{8e6}, group).value, 66e-6 + 16e-3, 1e-12);
}

TEST(DoubleTree, BeatsTheRingOnManyNodes) {
  const Bytes gradients{1e8};
  const Group few = two_levels(2, 4, kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  const Group many = two_levels(256, 4, kMicro, 50 * kGiga, 40 * kMicro, 12.5 * kGiga);
  EXPECT_GT(double_tree_all_reduce(gradients, few), ring_all_reduce(gradients, few));
  EXPECT_LT(double_tree_all_reduce(gradients, many), ring_all_reduce(gradients, many));
}

/// Parent of member i (from 1) in an in-order binary tree over 1..n; 0 for the root. Trailing zero
/// bits are the height; ancestors past n are skipped.
int parent_in_order(int i, int n) {
  for (int bit = i & -i; bit <= n; bit = i & -i) {
    i = (i ^ bit) | (2 * bit);
    if (i <= n) return i;
  }
  return 0;
}

/// Bytes each member sends (and, by symmetry, receives) per byte of the buffer, when the tree and
/// its mirror image, or the tree shifted by one where n is odd, carry half of it each.
double most_sent(int n) {
  std::vector<double> sent(static_cast<std::size_t>(n), 0);
  for (int tree = 0; tree < 2; ++tree) {
    const auto member = [&](int i) {
      if (tree == 0) return static_cast<std::size_t>(i - 1);
      return static_cast<std::size_t>(n % 2 == 0 ? n - i : i % n);
    };
    for (int i = 1; i <= n; ++i) {
      const int up = parent_in_order(i, n);
      if (up == 0) continue;
      sent[member(i)] += 0.5;
      sent[member(up)] += 0.5;
    }
  }
  return *std::max_element(sent.begin(), sent.end());
}

TEST(DoubleTree, NobodySendsMoreThanTwiceTheBuffer) {
  for (int n = 2; n <= 33; ++n) EXPECT_LE(most_sent(n), 2.0) << n;
  EXPECT_DOUBLE_EQ(most_sent(16), 2.0);
  const Group group = one_level(16, 0, kGiga);
  EXPECT_NEAR(double_tree_all_reduce(Bytes{1e6}, group).value, most_sent(16) * 1e-3, 1e-12);
}

}  // namespace double_tree_test
}  // namespace oracle
