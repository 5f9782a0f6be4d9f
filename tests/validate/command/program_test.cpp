#include "validate/command/program.h"

#include <array>
#include <gtest/gtest.h>
#include <sstream>

#include "tests/cli/console.h"
#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace command_program_test {

cli::Outcome validate(const std::vector<const char*>& words) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = run_validate(words, out, err);
  return {code, out.str(), err.str()};
}

TEST(ValidateProgram, ItsNamesAreNoNetworks) {
  EXPECT_TRUE(is_validate(std::array{"validate", "alexnet"}));
  EXPECT_TRUE(is_validate(std::array{"compare"}));
  EXPECT_FALSE(is_validate(std::array{"alexnet", "validate"}));
  EXPECT_FALSE(is_validate({}));
}

TEST(ValidateProgram, ComparesTwoRuns) {
  const cli::Scratch scratch;
  const std::string run = scratch.file("run.json", std::string(kRunText));
  const cli::Outcome outcome = validate({"compare", run.c_str(), run.c_str()});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("step measured 2.00 s, before 2.00 s")) << outcome.out;
}

TEST(ValidateProgram, BrokenBytesAreANo) {
  const cli::Scratch scratch;
  const std::string run =
      scratch.file("run.json", run_text_with("\"sent_bytes\": 400", "\"sent_bytes\": 200"));
  EXPECT_EQ(validate({"compare", run.c_str(), run.c_str()}).code, 1);
}

TEST(ValidateProgram, ProblemsComeBeforeAnyRankIsStarted) {
  const cli::Outcome strategy = validate({"validate", "alexnet", "--strategy", "data:x"});
  EXPECT_EQ(strategy.code, 2);
  EXPECT_NE(strategy.err.find("--strategy"), std::string::npos) << strategy.err;
  const cli::Outcome steps =
      validate({"validate", "alexnet", "--strategy", "data:2", "--steps", "2", "--warmup", "2"});
  EXPECT_EQ(steps.code, 2);
  EXPECT_NE(steps.err.find("leaves none of the 2 steps"), std::string::npos) << steps.err;
  const cli::Outcome absent = validate({"compare", "absent.json", "absent.json"});
  EXPECT_EQ(absent.code, 3);
}

TEST(ValidateProgram, AGpuIsPredictedFromWhatDescribesOne) {
  const cli::Outcome here =
      validate({"validate", "alexnet", "--strategy", "data:2", "--device", "gpu"});
  EXPECT_EQ(here.code, 2);
  EXPECT_NE(here.err.find("\"here\" describes processors"), std::string::npos) << here.err;
  const cli::Outcome alone =
      validate({"validate", "alexnet", "--strategy", "data:2", "--mps=always"});
  EXPECT_EQ(alone.code, 2);
  EXPECT_NE(alone.err.find("--mps: is for ranks that share a GPU"), std::string::npos) << alone.err;
}

TEST(ValidateProgram, WhatCannotBePlannedIsNotRun) {
  const cli::Outcome outcome =
      validate({"validate", "alexnet", "--strategy", "filter:128", "--batch", "2"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_TRUE(outcome.out.starts_with("does not fit: ")) << outcome.out;
}

}  // namespace command_program_test
}  // namespace oracle
