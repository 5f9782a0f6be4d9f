// The whole command: limits, prices, power, and what is refused.

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace budget_test {

using Json = nlohmann::ordered_json;

Outcome budget(std::vector<const char*> more, const char* cluster = "dgx-1-v100") {
  std::vector<const char*> args = {"budget", "resnet50", "--cluster",   cluster,
                                   "--gpus", "8..64",    "--precision", "fp16"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

Json json_of(std::vector<const char*> more) {
  more.insert(more.end(), {"--format", "json"});
  const Outcome outcome = budget(more);
  EXPECT_TRUE(outcome.code == 0 || outcome.code == 1) << outcome.err;
  return Json::parse(outcome.out);
}

TEST(Budget, MoreGpusTakeLessTimeAndMoreGpuHours) {
  const Json json = json_of({});
  ASSERT_EQ(json["points"].size(), 4U);
  for (std::size_t i = 1; i < 4; ++i) {
    const Json& less = json["points"][i - 1];
    const Json& more = json["points"][i];
    EXPECT_LT(more["time"]["value"], less["time"]["value"]);
    EXPECT_GT(more["device_hours"]["value"], less["device_hours"]["value"]);
  }
  EXPECT_TRUE(json["points"][0]["cost"].is_null()) << "no price was given";
}

TEST(Budget, AProvidersPriceIsThatOfItsList) {
  const Json json = json_of({"--price", "lambda"});
  const Json& point = json["points"][0];
  const double hours = point["device_hours"]["value"];
  EXPECT_NEAR(point["cost"]["value"].get<double>(), 0.55 * hours, 1e-6 * hours);
  EXPECT_NE(budget({"--price", "lambda"}).out.find("gpu_8x_v100 of Lambda"), std::string::npos);
  const Outcome none = budget({"--price", "aws"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("or a provider: lambda"), std::string::npos) << none.err;
}

TEST(Budget, ADeadlineThatCannotBeMetIsANo) {
  EXPECT_EQ(budget({"--deadline", "24h"}).code, 0);
  const Outcome outcome = budget({"--deadline", "1min"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_TRUE(outcome.out.starts_with("nothing keeps to 1.00 min; the nearest is 64 GPUs"))
      << outcome.out;
}

TEST(Budget, ADeadlineHasAUnit) {
  for (const char* deadline : {"24", "1d", "0 h", "soon"}) {
    const Outcome outcome = budget({"--deadline", deadline});
    EXPECT_EQ(outcome.code, 2) << deadline;
    EXPECT_NE(outcome.err.find("write a time such as 24h"), std::string::npos) << outcome.err;
  }
}

TEST(Budget, ADeadlineAsksForTheCheapest) {
  const Json json = json_of({"--deadline", "24h"});
  EXPECT_EQ(json["objective"], "cost");
  EXPECT_EQ(json_of({"--deadline", "24h", "--objective", "time"})["objective"], "time");
}

TEST(Budget, APurseWantsAPrice) {
  const Outcome outcome = budget({"--purse", "100USD"});
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("say it: --price"), std::string::npos) << outcome.err;
  EXPECT_EQ(budget({"--purse", "100USD", "--price", "lambda"}).code, 0);
  EXPECT_EQ(budget({"--purse", "1USD", "--price", "lambda"}).code, 1);
  EXPECT_EQ(budget({"--purse", "100", "--price", "lambda"}).code, 2);
}

TEST(Budget, EnergyFollowsThePowerOfTheBoardAndTheDataCentre) {
  const double usual = json_of({})["points"][0]["energy"]["value"];
  const double lean = json_of({"--pue", "1"})["points"][0]["energy"]["value"];
  EXPECT_NEAR(usual, 1.58 * lean, 1e-9 * usual);
  const double half = json_of({"--set", "device.board_power=150W"})["points"][0]["energy"]["value"];
  EXPECT_NEAR(half, usual / 2, 1e-9 * usual);
  EXPECT_EQ(budget({"--pue", "0.5"}).code, 2);
  EXPECT_EQ(budget({"--pue", "much"}).code, 2);
}

TEST(Budget, OfAMachineWhosePowerIsNotKnownNoEnergyIsSaid) {
  const std::vector<const char*> args = {"budget",    "alexnet",  "--cluster", "here",
                                         "--gpus",    "1",        "--batch",   "16",
                                         "--dataset", "imagenet", "--epochs",  "1"};
  const Outcome outcome = console(args);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find("kWh"), std::string::npos);
  std::vector<const char*> least = args;
  least.insert(least.end(), {"--objective", "energy"});
  EXPECT_EQ(console(least).code, 2);
}

}  // namespace budget_test
}  // namespace oracle::cli
