#include "oracle/cli/child.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace child_test {

/// A program of one line of shell.
std::string program(const Scratch& scratch, const std::string& line) {
  const std::string file = scratch.file("program", "#!/bin/sh\n" + line + "\n");
  std::filesystem::permissions(file, std::filesystem::perms::owner_all);
  return file;
}

TEST(Child, RunsAProgramWithItsWords) {
  const Scratch scratch;
  const std::string out = scratch.path("out").string();
  run_child(program(scratch, "echo \"$1 $2\" > " + out), {"a b", "c"}, "");
  EXPECT_EQ(Scratch::read(out), "a b c\n");
}

TEST(Child, WhatItsEndMeansIsWhatItMeansHere) {
  const Scratch scratch;
  EXPECT_THROW(run_child(program(scratch, "exit 2"), {}, ""), InputError);
  EXPECT_THROW(run_child(program(scratch, "exit 3"), {}, ""), EnvironmentError);
  EXPECT_THROW(run_child(program(scratch, "exit 70"), {}, ""), Defect);
  EXPECT_THROW(run_child(program(scratch, "kill -9 $$"), {}, ""), EnvironmentError);
}

TEST(Child, ASignalThatEndsTheProgramEndsTheChild) {
  const Scratch scratch;
  const std::string left = scratch.path("left").string();
  const std::string line = "kill -TERM $PPID; sleep 20; echo > " + left;
  EXPECT_THROW(run_child(program(scratch, line), {}, ""), EnvironmentError);
  EXPECT_FALSE(std::filesystem::exists(left));
}

TEST(Child, OneThatIsNotThereIsNamedWithTheRemedy) {
  const Scratch scratch;
  try {
    run_child(scratch.path("nothing"), {}, "build it");
    FAIL() << "it is not there";
  } catch (const EnvironmentError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("nothing is not there; build it"), std::string::npos) << said;
  }
}

}  // namespace child_test
}  // namespace oracle::cli
