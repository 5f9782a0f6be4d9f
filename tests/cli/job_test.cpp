#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace job_test {

using testing::HasSubstr;

const std::string kLog = ORACLE_SOURCE_DIR "/tests/data/jobs/megatron.log";

TEST(Job, ComparesWhatRanWithItsPrediction) {
  const Outcome outcome = console({"job", kLog.c_str(), "--cluster", "8xrtx4090"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"measured by the job", "measured   13.1 s, median of 9 steps (12.9 s to 13.1 s)",
        "its interval", "as if they took 0.7", "to go on", "--measured",
        "--strategy \"pipeline:4,data:2; micro_batches=64"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

/// What is asked by hand as the answer says is the same step.
TEST(Job, IsWhatEstimateSaysOfTheSameQuestion) {
  const Outcome job = console({"job", kLog.c_str(), "--cluster", "8xrtx4090", "--format", "json"});
  const auto answer = nlohmann::json::parse(job.out);
  const std::string line = answer.at("to_go_on").at(0);
  const std::size_t at = line.find("--strategy \"") + 12;
  const std::string strategy = line.substr(at, line.size() - at - 1);
  const Outcome by_hand =
      console({"estimate", kLog.c_str(), "--cluster", "8xrtx4090", "--batch", "128", "--precision",
               "bf16", "--optimizer", "adam", "--framework", "megatron", "--strategy",
               strategy.c_str(), "--format", "json"});
  ASSERT_EQ(by_hand.code, 0) << by_hand.err;
  EXPECT_EQ(nlohmann::json::parse(by_hand.out).at("step_time"), answer.at("step_time"));
  EXPECT_NEAR(answer.at("job").at("measured_step").at("value").get<double>(), 13.0687, 1e-9);
}

/// Its step and memory are those that torchtitan's own page has.
TEST(Job, OfTorchtitanIsPredictedToo) {
  const std::string log = ORACLE_SOURCE_DIR "/tests/data/jobs/torchtitan.log";
  const Outcome outcome = console({"job", log.c_str(), "--cluster", "1x8xh100-sxm5-96gb"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"measured   2.46 s", "inside its interval", "--framework torchtitan"}) {
    EXPECT_THAT(outcome.out, HasSubstr(part));
  }
}

TEST(Job, TakesAnotherNetworkInPlaceOfTheLogs) {
  const Outcome other = console({"job", kLog.c_str(), "--cluster", "8xh100-sxm5-80gb", "--model",
                                 "llama2_7b", "--format", "json"});
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(nlohmann::json::parse(other.out).at("model"), "llama2_7b");
}

TEST(Job, RefusesWhatIsNoLog) {
  const Scratch scratch;
  const std::string file = scratch.file("empty.log", "nothing\n");
  EXPECT_EQ(console({"job", file.c_str(), "--cluster", "dgx-a100"}).code, 2);
  EXPECT_EQ(console({"job", "/nonexistent.log", "--cluster", "dgx-a100"}).code, 3);
  EXPECT_EQ(console({"job", kLog.c_str()}).code, 2);
}

}  // namespace job_test
}  // namespace oracle::cli
