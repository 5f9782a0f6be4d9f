#include "oracle/io/frameworks/launch_reader.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace launch_reader_test {

std::vector<LaunchLine> lines_of(const std::string& launch) {
  return read_launch_lines(json::parse("{\"launch\": " + launch + "}", "mine.json"));
}

TEST(LaunchReader, ReadsTheLinesOfAFramework) {
  const auto lines = load_launch_lines("pytorch");
  ASSERT_GE(lines.size(), 2U);
  EXPECT_TRUE(lines[0].text.starts_with("torchrun --nnodes={nodes} "));
  EXPECT_TRUE(lines[0].when.empty());
  EXPECT_EQ(lines[1].unless, "zero");
}

TEST(LaunchReader, LinesHaveConditionsAndOrders) {
  const auto lines =
      lines_of(R"(["always", {"if": "zero=1", "unless": "overlap=off", "line": "some"},
                   {"order": ["data", "tensor"]}])");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[0].text, "always");
  EXPECT_EQ(lines[1].when, "zero=1");
  EXPECT_EQ(lines[1].unless, "overlap=off");
  EXPECT_EQ(lines[2].order, (std::vector<std::string>{"data", "tensor"}));
  EXPECT_TRUE(lines[2].text.empty());
}

TEST(LaunchReader, OneMayHaveNone) { EXPECT_TRUE(load_launch_lines("torch7").empty()); }

TEST(LaunchReader, WhatIsNoLineIsRefusedWithItsPlace) {
  for (const char* launch : {"[1]", R"([{"if": "zero"}])", R"([{"line": "a", "when": "zero"}])",
                             R"("torchrun")", "[null]"}) {
    EXPECT_THROW(lines_of(launch), InputError) << launch;
  }
}

TEST(LaunchReader, AnUnknownFrameworkIsRefused) {
  EXPECT_THROW(load_launch_lines("pitorch"), InputError);
}

}  // namespace launch_reader_test
}  // namespace oracle
