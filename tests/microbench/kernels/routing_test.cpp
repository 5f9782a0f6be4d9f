#include "microbench/kernels/routing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace routing_test {

using testing::ElementsAre;

TEST(Routing, WorkedExample) {
  const std::vector<float> scores = {9, 8, 7, 1, 2, 3};
  EXPECT_THAT(tokens_of_rows({3, 4, 2, 1}, scores), ElementsAre(0, 1, 2, kNoToken));
}

/// Both tokens want experts 0 and 1; expert 0 has one row.
TEST(Routing, GivesFirstChoicesBeforeSecondOnes) {
  const std::vector<float> scores = {9, 9, 8, 8, 1, 2};
  EXPECT_THAT(tokens_of_rows({2, 4, 3, 2}, scores), ElementsAre(0, 1, 0, 1));
}

TEST(Routing, GivesAnExpertNoTokenTwice) {
  const std::vector<float> scores = {1, 0};
  EXPECT_THAT(tokens_of_rows({1, 6, 2, 2}, scores),
              ElementsAre(0, kNoToken, kNoToken, 0, kNoToken, kNoToken));
}

/// 9 rows of 4 experts: 2, 2, 2 and 3; of experts 1 and 2, then of the last.
TEST(Routing, JoinsExpertsOfEquallyManyRows) {
  const OneLayer one("expert_dense", {1, 2, 1, 1, 9},
                     {{"experts", std::int64_t{4}}, {"features", std::int64_t{2}}});
  LocalLayer piece = one.whole(1);
  EXPECT_THAT(expert_runs(piece), ElementsAre(ExpertRun{0, 3, 0, 2}, ExpertRun{3, 1, 6, 3}));
  piece.first_row = 1;
  piece.rows = 2;
  piece.place.width = 2;
  piece.inputs[0].width = piece.output.width = 4;
  EXPECT_THAT(expert_runs(piece), ElementsAre(ExpertRun{0, 2, 0, 2}));
  piece.output.width = 3;
  EXPECT_THROW(expert_runs(piece), InputError);
}

}  // namespace routing_test
}  // namespace oracle
