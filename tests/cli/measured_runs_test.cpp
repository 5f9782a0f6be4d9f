#include "oracle/cli/measured_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace measured_runs_test {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kLog = ORACLE_SOURCE_DIR "/tests/data/jobs/megatron.log";

Outcome estimate(std::vector<const char*> more) {
  more.insert(more.begin(), {"estimate", "resnet50", "--cluster", "dgx-a100", "--strategy",
                             "data:8", "--batch", "2048", "--format", "json"});
  return console(more);
}

double step_of(const Outcome& outcome) {
  return nlohmann::json::parse(outcome.out).at("step_time").at("value").get<double>();
}

TEST(MeasuredRuns, SeveralAreToldApart) {
  EXPECT_THAT(measured_texts("a.log,b.log"), ElementsAre("a.log", "b.log"));
  EXPECT_THAT(
      measured_texts("data:4,tensor:2; batch=8; step=1 s,a.log,data:8; batch=8; step=2 s"),
      ElementsAre("data:4,tensor:2; batch=8; step=1 s", "a.log", "data:8; batch=8; step=2 s"));
}

/// The same step, as a time or as a throughput.
TEST(MeasuredRuns, AStepIsLongerWhereAnotherWas) {
  const double before = step_of(estimate({}));
  const double after = step_of(estimate({"--measured", "data:8; batch=1024; step=310 ms"}));
  EXPECT_GT(after, 1.05 * before);
  const Outcome rate =
      estimate({"--measured", "data:8; batch=1024; throughput=3303.2258064516127 samples/s"});
  EXPECT_NEAR(step_of(rate), after, 1e-9);
  const Outcome more = estimate({"--measured", "data:8; batch=1024; step=310 ms", "--measured",
                                 "data:8; batch=1024; step=310 ms"});
  EXPECT_GT(step_of(more), after) << "two say it with more weight";
}

TEST(MeasuredRuns, TheAnswerSaysWhatTheySay) {
  const Outcome outcome =
      console({"estimate", "resnet50", "--cluster", "dgx-a100", "--strategy", "data:8", "--batch",
               "2048", "--measured", "data:8; batch=1024; step=310 ms", "--measured",
               "data:8; batch=1024; step=9 s"});
  EXPECT_THAT(outcome.out, HasSubstr("as if kernels"));
  EXPECT_THAT(outcome.out, HasSubstr("is further off than"));
  EXPECT_THAT(outcome.out, HasSubstr("as 1 measured run says"));
}

TEST(MeasuredRuns, ALogIsOne) {
  const Outcome outcome =
      console({"plan", kLog.c_str(), "--cluster", "8xrtx4090", "--gpus", "8", "--batch", "128",
               "--precision", "bf16", "--optimizer", "adam", "--framework", "megatron",
               "--measured", kLog.c_str(), "--top", "1"});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("pace: kernels take 0.8"));
}

TEST(MeasuredRuns, OfAnotherFormatOrFrameworkSaysSo) {
  const Outcome outcome = console({"estimate", "gpt2", "--cluster", "8xrtx4090", "--strategy",
                                   "data:8", "--batch", "8", "--measured", kLog.c_str()});
  EXPECT_THAT(outcome.out, HasSubstr("it ran"));
  EXPECT_THAT(outcome.out, HasSubstr("by Megatron-Core, and how far"));
}

TEST(MeasuredRuns, RefusesWhatIsNone) {
  for (const char* text :
       {"data:8; step=310 ms", "data:8; batch=64", "data:8; batch=x; step=1 s",
        "data:8; batch=64; step=soon", "nothing", "data:99999; batch=99999; step=1 s"}) {
    const Outcome outcome = estimate({"--measured", text});
    EXPECT_EQ(outcome.code, 2) << text;
    EXPECT_THAT(outcome.err, HasSubstr("--measured")) << text;
  }
  EXPECT_EQ(estimate({"--measured", "/nonexistent.log"}).code, 3);
}

}  // namespace measured_runs_test
}  // namespace oracle::cli
