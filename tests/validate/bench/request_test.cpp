#include "validate/bench/request.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace bench_request_test {

using Words = std::vector<const char*>;

std::string problem_of(const Words& words) {
  try {
    read_step_bench_request(words);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(StepBenchRequest, ReadsWhatWasAsked) {
  const StepBenchRequest request = read_step_bench_request(
      Words{"resnet50", "--batch", "8", "--rounds", "2", "--repeats", "4", "--least-step-rate",
            "0.65", "--most-rest", "0.35", "--out", "step.json"});
  EXPECT_EQ(request.graph.name, "resnet50");
  EXPECT_EQ(request.batch, 8);
  EXPECT_EQ(request.rounds, 2);
  EXPECT_EQ(request.repeats, 4);
  EXPECT_EQ(request.bars.step_rate, 0.65);
  EXPECT_EQ(request.bars.rest, 0.35);
  EXPECT_FALSE(request.bars.convolution_rate);
  EXPECT_FALSE(request.bars.beside);
  EXPECT_FALSE(request.beside);
  EXPECT_EQ(request.out, "step.json");
}

TEST(StepBenchRequest, RefusesWithPlaceAndRemedy) {
  EXPECT_THAT(problem_of({"resnet50", "--rounds", "0"}), testing::HasSubstr("--rounds"));
  EXPECT_THAT(problem_of({"resnet50", "--most-rest", "nan"}), testing::HasSubstr("--most-rest"));
  EXPECT_THAT(problem_of({"resnet50", "--least-rate", "-1"}), testing::HasSubstr("--least-rate"));
  EXPECT_THAT(problem_of({"resnet5"}), testing::HasSubstr("resnet50"));
}

}  // namespace bench_request_test
}  // namespace oracle
