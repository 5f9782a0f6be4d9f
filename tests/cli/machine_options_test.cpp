#include "oracle/cli/machine_options.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/console.h"

namespace oracle::cli {
namespace machine_options_test {

using Json = nlohmann::ordered_json;

Outcome estimate(std::vector<const char*> more) {
  std::vector<const char*> args = {"estimate",   "vgg16",  "--cluster", "cloud-10gbe",
                                   "--strategy", "data:8", "--batch",   "256"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args);
}

double step(std::vector<const char*> more) {
  more.insert(more.end(), {"--format", "json"});
  return Json::parse(estimate(more).out)["step_time"]["value"];
}

TEST(MachineOptions, AFigureSetIsPricedAndSaid) {
  EXPECT_LT(step({"--set", "network.bandwidth=100Gbit/s"}), step({}) / 2);
  EXPECT_LT(step({"--set=device.peak.fp32=60TFLOP/s", "--set", "device.memory_bandwidth=3TB/s"}),
            step({}));
  const Outcome outcome = estimate({"--set", "network.bandwidth=100Gbps,device.memory=40GiB"});
  EXPECT_NE(outcome.out.find("of 40.0 GiB per GPU"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("- network/bandwidth: 100Gbps, as --set gives it\n"),
            std::string::npos)
      << outcome.out;
}

Outcome offloaded(const char* change) {
  return console({"estimate", "vgg16", "--cluster", "cloud-10gbe", "--strategy",
                  "serial; offload=optimizer", "--batch", "8", "--format", "json", "--set",
                  change});
}

TEST(MachineOptions, TheHostMayBeFaster) {
  const auto step = [](const char* change) {
    return Json::parse(offloaded(change).out)["step_time"]["value"].get<double>();
  };
  const double usual = step("host.devices=1");
  EXPECT_LT(step("host.bandwidth=450GB/s"), usual);
  EXPECT_LT(step("host.memory_bandwidth=1TB/s"), usual);
}

/// 138 million parameters: weights, gradients and momentum in fp32 are 1.5 GiB.
TEST(MachineOptions, TheHostMayBeTooSmall) {
  EXPECT_EQ(offloaded("host.memory=2GiB").code, 0);
  const Outcome refused = offloaded("host.memory=1GiB");
  EXPECT_EQ(refused.code, 1);
  EXPECT_NE(refused.out.find("host memory of a rank"), std::string::npos) << refused.out;
}

TEST(MachineOptions, AnAssumptionThatIsReplacedIsNotSaid) {
  EXPECT_NE(estimate({}).out.find("network/units: 16 machines in one"), std::string::npos);
  const Outcome outcome = estimate({"--set", "network.units=4"});
  EXPECT_EQ(outcome.out.find("16 machines in one"), std::string::npos) << outcome.out;
}

TEST(MachineOptions, AMemoryLimitMakesStrategiesUnfit) {
  EXPECT_EQ(estimate({}).code, 0);
  const Outcome outcome = estimate({"--memory-limit", "4GiB"});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.out.find("does not fit: device memory"), std::string::npos) << outcome.out;
  EXPECT_EQ(estimate({"--memory-limit", "64GiB"}).out, estimate({}).out) << "more than there is";
}

TEST(MachineOptions, APriceMakesCostAnObjective) {
  const std::vector<const char*> plan = {"plan",   "alexnet", "--cluster",   "abci",
                                         "--gpus", "4",       "--objective", "cost"};
  EXPECT_EQ(console(plan).code, 2);
  std::vector<const char*> priced = plan;
  priced.insert(priced.end(), {"--price", "2.5USD/h"});
  const Outcome outcome = console(priced);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("cheapest"), std::string::npos);
}

TEST(MachineOptions, WhatIsNotUnderstoodIsSaidWithItsPlace) {
  const auto refused = [](std::vector<const char*> more, const char* message) {
    const Outcome outcome = estimate(std::move(more));
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused({"--set", "device.memry=40GiB"},
          "--set: \"device.memry\" is not a figure of this machine; did you mean "
          "\"device.memory\"?");
  refused({"--set", "device.memory=40"}, "--set device.memory: \"40\" has no unit");
  refused({"--set", "device.memory"}, "--set: \"device.memory\" gives no value");
  refused({"--set", "network.bandwidth=0GB/s"}, "--set network.bandwidth: \"0GB/s\" is zero");
  refused({"--memory-limit", "1MiB"}, "--memory-limit: leaves no memory besides the ");
  refused({"--price", "2.5"}, "--price: \"2.5\" has no unit; write \"2.5 USD/h\"");
  refused({"--set", "node.units=1000000000,network.units=1000000000"},
          "--set: the cluster has more than 1000000000 ranks");
}

}  // namespace machine_options_test
}  // namespace oracle::cli
