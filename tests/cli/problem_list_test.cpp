#include "oracle/cli/problem_list.h"

#include <gtest/gtest.h>

namespace oracle::cli {
namespace problem_list_test {

TEST(ProblemList, KeepsGoingAndRaisesEverything) {
  ProblemList problems;
  EXPECT_EQ(problems.attempt("--a", [] { return 1; }), 1);
  EXPECT_EQ(problems.attempt("--b", [] { return parse_count("x", 1, 2); }), std::nullopt);
  EXPECT_EQ(problems.attempt("--c",
                             []() -> int {
                               throw InputError({{"", "is odd", ""}, {"file:1", "is bad", "mend"}});
                             }),
            std::nullopt);
  problems.add("--d", "is wrong", "right it");
  try {
    problems.raise();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "--b: \"x\" is not an integer; write an integer from 1 to 2\n"
                 "--c: is odd\n"
                 "file:1: is bad; mend\n"
                 "--d: is wrong; right it");
  }
}

TEST(ProblemList, ProblemsOfOneReadingHaveOnePlace) {
  EXPECT_EQ(at_place("--a", [] { return 1; }), 1);
  const auto said = [](const auto& read) -> std::string {
    try {
      at_place("--a", read);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(said([]() -> int {
              throw InputError({{"b", "is odd", ""}, {"", "is bad", ""}});
            }),
            "--a: is odd\n--a: is bad");
  EXPECT_EQ(said([] { return parse_count("x", 1, 2); }),
            "--a: \"x\" is not an integer; write an integer from 1 to 2");
}

TEST(ProblemList, NothingKeptNothingRaised) { EXPECT_NO_THROW(ProblemList().raise()); }

TEST(ProblemList, OtherErrorsPass) {
  ProblemList problems;
  EXPECT_THROW(problems.attempt("--a", []() -> int { throw EnvironmentError("gone"); }),
               EnvironmentError);
}

}  // namespace problem_list_test
}  // namespace oracle::cli
