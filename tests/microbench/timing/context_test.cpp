#include "microbench/timing/context.h"

#include <gtest/gtest.h>
#include <map>

namespace oracle {
namespace {

TEST(MeasuringContext, SaysWhatRanAndWhen) {
  const std::vector<const char*> words = {"oracle-bench", "--quick"};
  const MeasuringContext context = measuring_context(words);
  const std::map<std::string, std::string> values(context.begin(), context.end());
  EXPECT_EQ(values.at("command"), "oracle-bench --quick");
  EXPECT_EQ(values.at("date").size(), 20U);  // 2026-11-21T08:14:44Z
  EXPECT_EQ(values.at("date").back(), 'Z');
  for (const char* name : {"load", "version", "commit", "compiler", "build"}) {
    EXPECT_FALSE(values.at(name).empty()) << name;
  }
}

TEST(MeasuringContext, TimeStolenNeverRunsBackwards) {
  const double before = stolen_seconds();
  EXPECT_GE(before, 0);
  EXPECT_GE(stolen_seconds(), before);
}

}  // namespace
}  // namespace oracle
