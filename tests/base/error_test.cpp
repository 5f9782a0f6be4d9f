#include "oracle/base/error.h"

#include <gtest/gtest.h>

namespace oracle {
namespace error_test {

TEST(Problem, IsPrintedAsPlaceMessageRemedy) {
  EXPECT_EQ(to_text(Problem{"x.json:14:/memory", "\"25\" has no unit", "write \"25 GB\""}),
            "x.json:14:/memory: \"25\" has no unit; write \"25 GB\"");
}

TEST(Problem, LeavesOutWhatIsEmpty) {
  EXPECT_EQ(to_text(Problem{"", "no such layer", ""}), "no such layer");
  EXPECT_EQ(to_text(Problem{"--batch", "too small", ""}), "--batch: too small");
  EXPECT_EQ(to_text(Problem{"", "too small", "raise it"}), "too small; raise it");
}

TEST(InputError, SaysAllProblemsOnALineEach) {
  const InputError error({{"a", "one", ""}, {"b", "two", "fix"}});
  EXPECT_STREQ(error.what(), "a: one\nb: two; fix");
  ASSERT_EQ(error.problems().size(), 2U);
  EXPECT_EQ(error.problems()[1], (Problem{"b", "two", "fix"}));
}

TEST(InputError, OfOneProblemIsTheSame) {
  const InputError error("--batch", "too small", "raise it");
  EXPECT_EQ(error.problems(), (std::vector<Problem>{{"--batch", "too small", "raise it"}}));
  EXPECT_STREQ(error.what(), "--batch: too small; raise it");
}

TEST(Ensure, ThrowsADefectOnlyWhereTheInvariantBroke) {
  EXPECT_NO_THROW(ensure(true, "never said"));
  try {
    ensure(false, "the sum is odd");
    FAIL() << "let pass";
  } catch (const Defect& defect) {
    EXPECT_STREQ(defect.what(), "the sum is odd");
  }
}

}  // namespace error_test
}  // namespace oracle
