#include "microbench/timing/context.h"

#include <gtest/gtest.h>
#include <map>
#include <sstream>

namespace oracle {
namespace context_test {

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

TEST(MeasuringContext, KnowsAHypervisorByTheProcessorsFlags) {
  const auto in = [](const std::string& text) {
    std::istringstream cpuinfo(text);
    return is_virtual(cpuinfo);
  };
  EXPECT_TRUE(in("processor\t: 0\nflags\t\t: fpu hypervisor avx\n"));
  EXPECT_TRUE(in("flags\t\t: fpu avx hypervisor"));
  EXPECT_FALSE(in("model name\t: a hypervisor thing\nflags\t\t: fpu avx hypervisors\n"));
  EXPECT_FALSE(in(""));
}

TEST(MeasuringContext, TimeStolenNeverRunsBackwards) {
  const double before = stolen_seconds();
  EXPECT_GE(before, 0);
  EXPECT_GE(stolen_seconds(), before);
}

}  // namespace context_test
}  // namespace oracle
