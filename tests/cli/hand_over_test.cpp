#include "oracle/cli/hand_over.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/cli/commands/rows.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace hand_over_test {

TEST(HandOver, WhereTheProgramIsAbsentSaysHowToGetIt) {
  const Outcome outcome = console({"validate", "alexnet", "--strategy", "data:2"});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_TRUE(outcome.err.starts_with("oracle: oracle validate is carried out by /"))
      << outcome.err;
  EXPECT_NE(outcome.err.find("oneDNN and MPI"), std::string::npos) << outcome.err;
}

TEST(HandOver, WordsAreReadBeforeTheProgramIsLookedFor) {
  const Outcome outcome = console({"compare", "one.json", "--bye", "layer"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("did you mean \"--by\"?"), std::string::npos) << outcome.err;
  EXPECT_EQ(console({"validate", "--help"}).code, 0);
}

TEST(HandOver, TheProgramGetsTheWordsAsTheyAre) {
  const Scratch scratch;
  const std::string program =
      scratch.file("oracle-train", "#!/bin/sh\n[ \"$*\" = \"compare a b --by layer\" ]\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::vector<const char*> words = {"a", "b", "--by", "layer"};
  EXPECT_EXIT(hand_over(kCompareCommand, words, scratch.path("")), testing::ExitedWithCode(0), "");
}

TEST(HandOver, AProgramThatCannotStartIsSaid) {
  const Scratch scratch;
  scratch.file("oracle-train", "");
  EXPECT_THROW(hand_over(kCompareCommand, {}, scratch.path("")), EnvironmentError);
}

}  // namespace hand_over_test
}  // namespace oracle::cli
