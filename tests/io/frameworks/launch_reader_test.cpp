#include "oracle/io/frameworks/launch_reader.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace launch_reader_test {

TEST(LaunchReader, ReadsTheLinesOfAFramework) {
  const auto lines = load_launch_lines("pytorch");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_TRUE(lines[0].starts_with("torchrun --nnodes={nodes} "));
}

TEST(LaunchReader, OneMayHaveNone) { EXPECT_TRUE(load_launch_lines("torch7").empty()); }

TEST(LaunchReader, AnUnknownFrameworkIsRefused) {
  EXPECT_THROW(load_launch_lines("pitorch"), InputError);
}

}  // namespace launch_reader_test
}  // namespace oracle
