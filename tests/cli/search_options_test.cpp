#include "oracle/cli/search_options.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

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
