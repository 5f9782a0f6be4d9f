#include "oracle/base/system_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/fake_root.h"

namespace oracle {
namespace system_files_test {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SystemFiles, WhatCannotBeReadIsNothing) {
  EXPECT_EQ(text_or_nothing("/nonexistent"), "");
  EXPECT_EQ(text_or_nothing("/"), "");
  EXPECT_FALSE(whole_number_in("/nonexistent"));
  EXPECT_THAT(entries_of("/nonexistent"), IsEmpty());
}

TEST(SystemFiles, WholeNumbers) {
  EXPECT_EQ(whole_number(" -1\n"), -1);
  for (const char* none : {"", " ", "1.5", "0x3", "12 kB"})
    EXPECT_FALSE(whole_number(none)) << none;
}

TEST(SystemFiles, FoldersInTheOrderOfTheirNumbers) {
  const FakeRoot root;
  for (const char* name : {"node10/x", "node2/x", "possible", "nodeX/x"}) root.write(name, "");
  std::vector<std::string> names;
  for (const auto& folder : numbered_folders(root.path(), "node")) {
    names.push_back(folder.filename());
  }
  EXPECT_THAT(names, ElementsAre("node2", "node10"));
}

}  // namespace system_files_test
}  // namespace oracle
