#include "oracle/io/json/lenient.h"

#include <gtest/gtest.h>

namespace oracle::json {
namespace lenient_test {

TEST(Lenient, TakesWhatHasTheRightForm) {
  const Document file = parse(R"({"a": 1, "b": 2.5, "c": "x"})", "file");
  EXPECT_EQ(number(file.root, "a"), 1);
  EXPECT_EQ(number(file.root, "b"), 2.5);
  EXPECT_EQ(text(file.root, "c"), "x");
  ASSERT_NE(member(file.root, "c", Type::string), nullptr);
}

TEST(Lenient, WhatIsMissingOrOfAnotherFormIsNothing) {
  const Document file = parse(R"({"a": "1", "c": 3, "list": [1]})", "file");
  EXPECT_EQ(number(file.root, "a"), std::nullopt);
  EXPECT_EQ(number(file.root, "none"), std::nullopt);
  EXPECT_EQ(text(file.root, "c"), "");
  EXPECT_EQ(member(file.root, "list", Type::object), nullptr);
  const Node& list = *member(file.root, "list", Type::array);
  EXPECT_EQ(member(list, "a", Type::integer), nullptr);
}

}  // namespace lenient_test
}  // namespace oracle::json
