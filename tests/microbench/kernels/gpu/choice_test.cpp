#include "microbench/kernels/gpu/device/products/choice.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle::gpu {
namespace choice_test {

Candidate candidate(int algorithm, double seconds, std::int64_t workspace = 0,
                    bool deterministic = true, bool works = true) {
  return {algorithm, 0, works, deterministic, seconds, workspace};
}

int chosen(const std::vector<Candidate>& candidates, std::int64_t most = 100) {
  const auto found = choose(candidates, most);
  return found ? found->algorithm : -1;
}

TEST(Choice, TakesTheFastest) {
  EXPECT_EQ(chosen({candidate(0, 3), candidate(1, 1), candidate(2, 2)}), 1);
}

TEST(Choice, TakesNoneThatFailsOrWantsTooMuch) {
  EXPECT_EQ(chosen({candidate(0, 3), candidate(1, 1, 0, true, false), candidate(2, 2, 101)}), 0);
  EXPECT_EQ(chosen({candidate(0, 3), candidate(2, 2, 100)}), 2);
}

TEST(Choice, TakesOneThatVariesOnlyWhereNoOtherWorks) {
  EXPECT_EQ(chosen({candidate(0, 1, 0, false), candidate(1, 9)}), 1);
  EXPECT_EQ(chosen({candidate(0, 1, 0, false), candidate(1, 9, 101)}), 0);
}

TEST(Choice, OfNoneThereIsNone) {
  EXPECT_EQ(chosen({}), -1);
  EXPECT_EQ(chosen({candidate(0, 1, 101)}), -1);
}

}  // namespace choice_test
}  // namespace oracle::gpu
