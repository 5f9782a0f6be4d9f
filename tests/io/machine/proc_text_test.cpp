#include "oracle/io/machine/proc_text.h"

#include <gtest/gtest.h>

namespace oracle {
namespace proc_text_test {

TEST(ProcText, WorkedNumber) {
  const std::string_view text = "MemFree: 1 kB\nMemTotal:       16384000 kB\n";
  EXPECT_EQ(proc_field(text, "MemTotal"), "16384000 kB");
  EXPECT_EQ(proc_number(proc_field(text, "MemTotal")), 16384000);
}

TEST(ProcText, WhatIsNotThereIsEmpty) {
  EXPECT_EQ(proc_field("MemTotalOther: 3\nMemTotal\n", "MemTotal"), "");
  EXPECT_EQ(proc_field("", "x"), "");
  EXPECT_EQ(proc_number("kB"), 0);
  EXPECT_EQ(proc_number("-4"), 0);
  EXPECT_EQ(proc_number("1e300"), 0);
}

TEST(ProcText, APlaceToRun) { EXPECT_GE(usable_processors(), 1); }

}  // namespace proc_text_test
}  // namespace oracle
