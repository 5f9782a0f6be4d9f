#include "oracle/io/models/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace oracle {
namespace expression_test {

using testing::HasSubstr;

const Attributes kParameters{{"width", std::int64_t{64}},
                             {"mode", std::string("average")},
                             {"kernel", std::vector<std::int64_t>{1, 7}},
                             {"bias", false}};

std::int64_t whole(const std::string& text) {
  return std::get<std::int64_t>(evaluate(text, kParameters));
}

std::string refusal_of(const std::string& text) {
  try {
    evaluate(text, kParameters);
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(Expression, CalculatesWithTheUsualPrecedence) {
  EXPECT_EQ(whole("4*$width"), 256);
  EXPECT_EQ(whole("$width/2 + 3*(1 + 1)"), 38);
  EXPECT_EQ(whole("2-1-$width"), -63);
  EXPECT_EQ(whole("(((5)))*$width"), 320);
  EXPECT_EQ(whole("$width"), 64);
}

TEST(Expression, PassesAParameterOnAsItIs) {
  EXPECT_EQ(std::get<std::string>(evaluate("$mode", kParameters)), "average");
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(evaluate("$kernel", kParameters)).size(), 2U);
  EXPECT_FALSE(std::get<bool>(evaluate("$bias", kParameters)));
  EXPECT_EQ(std::get<std::string>(evaluate("max", kParameters)), "max");
}

TEST(Expression, TakesTheTypesOfAttributesFromJson) {
  const auto read = [](std::string_view text) {
    return evaluate(json::parse(text, "test").root, kParameters);
  };
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(read("[1, \"2*$width\"]")),
            (std::vector<std::int64_t>{1, 128}));
  EXPECT_TRUE(std::get<bool>(read("true")));
  EXPECT_THROW(read("1.5"), InputError);
  EXPECT_THROW(read("null"), InputError);
  EXPECT_THROW(read("{}"), InputError);
  EXPECT_THROW(read("[[1]]"), InputError);
  EXPECT_THROW(read("[\"max\"]"), InputError);
}

TEST(Expression, SaysWhatItCannotUnderstand) {
  EXPECT_THAT(refusal_of("4*$widht"), HasSubstr("did you mean \"width\"?"));
  EXPECT_THAT(refusal_of("$width/3"), HasSubstr("divides 64 by 3, which leaves a remainder"));
  EXPECT_THAT(refusal_of("$width/0"), HasSubstr("divides by zero"));
  EXPECT_THAT(refusal_of("$width*"), HasSubstr("ends too early"));
  EXPECT_THAT(refusal_of("2*$width)"), HasSubstr("cannot be understood from \")\" on"));
  EXPECT_THAT(refusal_of("(2*$width"), HasSubstr("lacks a \")\""));
  EXPECT_THAT(refusal_of("2*$mode"), HasSubstr("not an integer"));
  EXPECT_THAT(refusal_of("$"), HasSubstr("no parameter \"$\""));
}

TEST(Expression, StaysWithinExactIntegers) {
  EXPECT_THAT(refusal_of("9007199254740991*$width"), HasSubstr("2^53"));
  EXPECT_THAT(refusal_of("99999999999999999999+$width"), HasSubstr("2^53"));
  EXPECT_THAT(refusal_of("9007199254740991+$width"), HasSubstr("2^53"));
  EXPECT_THAT(refusal_of(std::string(100'000, '(') + "$width"), HasSubstr("200 characters"));
}

}  // namespace expression_test
}  // namespace oracle
