#include "oracle/base/split.h"

#include <gtest/gtest.h>

namespace oracle {
namespace {

using Parts = std::vector<std::string_view>;

TEST(Split, TrimsEachPartWhereAsked) {
  EXPECT_EQ(split_trimmed(" a ; b", ';'), (Parts{"a", "b"}));
  EXPECT_EQ(split_trimmed("a b;c", ';'), (Parts{"a b", "c"}));
  EXPECT_EQ(split(" a ; b", ';'), (Parts{" a ", " b"}));
}

TEST(Split, GivesOnePartMoreThanThereAreSeparators) {
  EXPECT_EQ(split("", ';'), Parts{""});
  EXPECT_EQ(split(";a;", ';'), (Parts{"", "a", ""}));
  EXPECT_EQ(split("a", ';'), Parts{"a"});
}

TEST(Split, TrimTakesBlanksAlone) {
  EXPECT_EQ(trim("  a b "), "a b");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(trim("\ta"), "\ta");
}

}  // namespace
}  // namespace oracle
