#include "oracle/cli/search_options.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "oracle/io/data_path.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/plan/strategy/strategy_options.h"
#include "tests/cli/console.h"

namespace oracle::cli {
namespace search_options_test {

std::vector<const char*> plan_with(const char* options) {
  return {"plan", "alexnet", "--cluster", "cloud-10gbe", "--gpus", "4", "--with", options};
}

TEST(SearchOptions, WithIsSaidOfEveryStrategy) {
  std::vector<const char*> args = plan_with("exchange=ring; overlap=off");
  args.insert(args.end(), {"--format", "csv"});
  std::istringstream rows(console(args).out);
  int strategies = 0;
  for (std::string row; std::getline(rows, row);) {
    if (row.find("data:") == std::string::npos) continue;
    ++strategies;
    EXPECT_NE(row.find("exchange=ring; overlap=off"), std::string::npos) << row;
  }
  EXPECT_GT(strategies, 3);
}

/// The strategies of a plan, as CSV.
std::string strategies(std::vector<const char*> more) {
  std::vector<const char*> args = {"plan",   "alexnet", "--cluster", "cloud-10gbe",
                                   "--gpus", "8",       "--format",  "csv"};
  args.insert(args.end(), more.begin(), more.end());
  return console(args).out;
}

TEST(SearchOptions, AxesAreTheOnlyOnesThatAreCut) {
  const std::string csv = strategies({"--axes", "dp,tensor"});
  EXPECT_NE(csv.find("\"data:4,tensor:2\""), std::string::npos) << csv;
  for (const char* other : {"filter:", "channel:", "width:", "pipeline:"}) {
    EXPECT_EQ(csv.find(other), std::string::npos) << other;
  }
}

TEST(SearchOptions, WithoutLeavesAxesOut) {
  EXPECT_NE(strategies({"--axes", "all"}).find("width:"), std::string::npos);
  const std::string csv =
      strategies({"--without", "spatial", "--without", "pp", "--framework", "oracle-train"});
  EXPECT_EQ(csv.find("width:"), std::string::npos);
  EXPECT_EQ(csv.find("pipeline:"), std::string::npos);
  EXPECT_NE(csv.find("channel:"), std::string::npos);
}

TEST(SearchOptions, AFrameworkLimitsTheSearchToWhatItRuns) {
  const std::string csv = strategies({"--framework", "pytorch"});
  EXPECT_NE(csv.find("pipeline:"), std::string::npos);
  EXPECT_EQ(csv.find("filter:"), std::string::npos);
  const Outcome table = console({"plan", "alexnet", "--cluster", "abci", "--gpus", "8"});
  EXPECT_NE(table.out.find("mesh axes tried: data, pipeline"), std::string::npos) << table.out;
  const Outcome none = console(
      {"plan", "alexnet", "--cluster", "abci", "--gpus", "8", "--without", "data,pipeline"});
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("leaves no mesh axis that PyTorch"), std::string::npos) << none.err;
}

/// What no strategy knows would be left out without a word; of some options a value is named.
TEST(SearchOptions, EveryAxisAndOptionOfAFrameworkIsOneOfAStrategy) {
  for (const std::string& name : names_in("data/frameworks")) {
    const Framework framework = load_framework(name);
    for (const auto& axes : {framework.image_axes, framework.text_axes}) {
      for (const std::string& axis : axes) EXPECT_NO_THROW(axis_named(axis)) << name;
    }
    for (const std::string& option : framework.switches) {
      if (option.find('=') == std::string::npos) {
        EXPECT_NE(strategy_option(option), nullptr) << name << ' ' << option;
      } else {
        EXPECT_NO_THROW(parse_strategy("serial; " + option)) << name;
      }
    }
  }
}

TEST(SearchOptions, ATextTriesWhatSavesMemoryUnlessItIsGiven) {
  const auto best = [](const char* with) {
    return console({"plan",        "llama3_8b", "--cluster", "dgx-h100",    "--gpus",
                    "8",           "--batch",   "64",        "--precision", "bf16",
                    "--optimizer", "adam",      "--top",     "1",           "--axes",
                    "data",        "--with",    with,        "--format",    "csv"})
        .out;
  };
  EXPECT_NE(best("bucket=25 MiB").find("zero="), std::string::npos);
  EXPECT_EQ(best("zero=0").find("data:8"), std::string::npos);
  EXPECT_NE(best("zero=3; recompute=full").find("zero=3; recompute=full"), std::string::npos);
}

TEST(SearchOptions, AxesThatSayNothingAreRefused) {
  const auto refused = [](std::vector<const char*> more, const char* message) {
    std::vector<const char*> args = {"plan", "alexnet", "--cluster", "abci", "--gpus", "8"};
    args.insert(args.end(), more.begin(), more.end());
    const Outcome outcome = console(args);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  };
  refused({"--axes", "dta"}, "--axes: unknown axis \"dta\"; did you mean \"data\"?");
  refused({"--axes", "data", "--without", "filter"}, "--without: contradicts --axes");
  refused({"--without",
           "data,spatial,context,ulysses,filter,channel,tensor,tensor_sequence,expert,pipeline"},
          "--without: leaves no mesh axis");
  refused({"--axes", ""}, "--axes: leaves no mesh axis");
  refused({"--axes", "whole"}, "--axes: \"whole\" shards nothing");
  refused({"--axes", "data", "--per-layer"}, "--axes: is not for --per-layer");
  EXPECT_EQ(
      console({"scale", "alexnet", "--cluster", "abci", "--gpus", "1,2", "--axes", "data"}).err,
      "oracle: --axes: is for a search, and --best asks for one; add --best, or leave it "
      "out\n");
}

TEST(SearchOptions, AnOddOptionIsShownAsATerminalCan) {
  EXPECT_EQ(console({"plan", "--clu\x1bter="}).err.find('\x1b'), std::string::npos);
}

TEST(SearchOptions, TheMeshIsWhatThePlanLooksFor) {
  for (const char* options : {"conv1=data:2", "exchange=ring; fc*=none"}) {
    const Outcome outcome = console(plan_with(options));
    EXPECT_EQ(outcome.code, 2) << options;
    EXPECT_NE(outcome.err.find("--with: names a layer range"), std::string::npos) << outcome.err;
  }
}

}  // namespace search_options_test
}  // namespace oracle::cli
