#include "oracle/cli/terminal.h"

#include <gtest/gtest.h>

namespace oracle::cli {
namespace terminal_test {

TEST(Terminal, ColumnsCountBeforeTheTerminal) {
  EXPECT_EQ(width_of("120", 90), 120U);
  EXPECT_EQ(width_of(nullptr, 90), 90U);
  EXPECT_EQ(width_of(nullptr, 0), 80U);
}

TEST(Terminal, WhatIsNotANumberOfColumnsCountsAsUnset) {
  for (const char* columns : {"", "0", "-5", "wide", "99999999999999999999"}) {
    EXPECT_EQ(width_of(columns, 0), 80U) << columns;
  }
  EXPECT_EQ(width_of("7", 0), 40U);
}

}  // namespace terminal_test
}  // namespace oracle::cli
