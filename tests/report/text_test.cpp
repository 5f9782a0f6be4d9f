#include "oracle/report/text.h"

#include <gtest/gtest.h>

namespace oracle::report {
namespace text_test {

TEST(Text, AWidthIsANumberOfCodePoints) {
  EXPECT_EQ(display_width("± 6 %"), 5U);
  EXPECT_EQ(padded("±", 3, true), "  ±");
  EXPECT_EQ(padded("long", 2, false), "long");
}

TEST(Text, ShortensBetweenCodePoints) {
  EXPECT_EQ(shortened("abcdef", 6), "abcdef");
  EXPECT_EQ(shortened("abcdef", 4), "abc…");
  EXPECT_EQ(shortened("αβγδ", 3), "αβ…");
  EXPECT_EQ(shortened("abc", 1), "…");
  EXPECT_EQ(shortened("", 0), "");
}

TEST(Text, WrapsAtBlanksAndKeepsLongWords) {
  EXPECT_EQ(wrapped("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrapped("a verylongword b", 4), (std::vector<std::string>{"a", "verylongword", "b"}));
  EXPECT_EQ(wrapped("", 5), std::vector<std::string>{""});
}

TEST(Text, GroupsThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1553), "1,553");
  EXPECT_EQ(grouped(25557032), "25,557,032");
  EXPECT_EQ(grouped(-1000), "-1,000");
}

TEST(Text, ThreeSignificantDigits) {
  EXPECT_EQ(significant(0), "0");
  EXPECT_EQ(significant(0.0451), "0.0451");
  EXPECT_EQ(significant(0.125), "0.125");
  EXPECT_EQ(significant(7.517), "7.52");
  EXPECT_EQ(significant(9.996), "10.0");
  EXPECT_EQ(significant(41.23), "41.2");
  EXPECT_EQ(significant(99.96), "100");
  EXPECT_EQ(significant(1553.4), "1,553");
  EXPECT_EQ(significant(1e-9), "1.00e-09");
  EXPECT_EQ(significant(1e300), "inf");
}

TEST(Text, PercentagesKeepADecimalWhereItMatters) {
  EXPECT_EQ(percent(0), "0 %");
  EXPECT_EQ(percent(0.0004), "< 0.1 %");
  EXPECT_EQ(percent(0.004), "0.4 %");
  EXPECT_EQ(percent(0.0994), "9.9 %");
  EXPECT_EQ(percent(0.0996), "10 %");
  EXPECT_EQ(percent(1), "100 %");
}

TEST(Text, NumbersHaveThings) {
  EXPECT_EQ(number_of(1, "layer"), "1 layer");
  EXPECT_EQ(number_of(1024, "layer"), "1,024 layers");
  EXPECT_EQ(number_of(2, "strategy", "strategies"), "2 strategies");
  EXPECT_EQ(prose("gradient_exchange"), "gradient exchange");
  EXPECT_EQ(identifier("gradient exchange"), "gradient_exchange");
}

}  // namespace text_test
}  // namespace oracle::report
