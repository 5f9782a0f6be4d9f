#include "oracle/io/json/document.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace oracle::json {
namespace json_document_test {

std::string refusal(std::string_view text) {
  try {
    parse(text, "f");
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 1U);
    return error.what();
  }
  ADD_FAILURE() << "accepted " << text.substr(0, 80);
  return {};
}

TEST(JsonDocument, KeepsValuesOrderAndTypes) {
  const Document document =
      parse(R"({"b": [1, -2.5, "x\u00e9", null, true], "a": {}, "big": 9223372036854775807})", "f");
  ASSERT_EQ(document.root.type, Type::object);
  ASSERT_EQ(document.root.members.size(), 3U);
  EXPECT_EQ(document.root.members[0].name, "b");
  const Node& list = document.root.members[0].value;
  ASSERT_EQ(list.items.size(), 5U);
  EXPECT_EQ(list.items[0].integer, 1);
  EXPECT_EQ(list.items[0].real, 1.0);
  EXPECT_EQ(list.items[1].type, Type::real);
  EXPECT_EQ(list.items[1].real, -2.5);
  EXPECT_EQ(list.items[2].string, "xé");
  EXPECT_EQ(list.items[3].type, Type::null);
  EXPECT_TRUE(list.items[4].boolean);
  EXPECT_EQ(document.root.find("big")->integer, INT64_MAX);
  EXPECT_EQ(document.root.find("none"), nullptr);
}

TEST(JsonDocument, EveryValueKnowsItsLine) {
  const Document document = parse("{\n \"a\": 1\n,\n\"b\": [\n1,\n2\n],\n\"c\":\n\"x\"\n}", "f");
  EXPECT_EQ(document.root.line, 1);
  EXPECT_EQ(document.root.find("a")->line, 2);
  EXPECT_EQ(document.root.find("b")->line, 4);
  EXPECT_EQ(document.root.find("b")->items[0].line, 5);
  EXPECT_EQ(document.root.find("b")->items[1].line, 6);
  EXPECT_EQ(document.root.find("c")->line, 9);
  EXPECT_EQ(parse("\n\n7", "f").root.line, 3);
  EXPECT_EQ(parse("\n\n7\n", "f").root.line, 3);
}

TEST(JsonDocument, NamesTheLineOfAnError) {
  EXPECT_TRUE(refusal("{\n\"a\": 1,\n\"a\": 2\n}")
                  .starts_with("f:3: duplicate key \"a\", first on line 2; keep one of them"));
  EXPECT_TRUE(refusal("{\n\"a\": 1\n\"b\": 2}").starts_with("f:3: a member is not followed by"));
  EXPECT_TRUE(refusal("[1,\n2\n").starts_with("f:2: "));
  EXPECT_TRUE(refusal("{}\n\n{}").starts_with("f:3: text after the end"));
}

TEST(JsonDocument, RefusesWhatIsNoStrictJson) {
  for (const char* text : {"",
                           "  \n",
                           "{",
                           "[1,]",
                           "[1 2]",
                           "{a: 1}",
                           "{\"a\" 1}",
                           "{\"a\": 1,}",
                           "{'a': 1}",
                           "NaN",
                           "[Infinity]",
                           "[-]",
                           "[01]",
                           "[1.]",
                           "[.5]",
                           "[+1]",
                           "[0x10]",
                           "[tru]",
                           "[\"abc",
                           "[\"a\nb\"]",
                           "[\"\\q\"]",
                           "[\"\\ud800\"]",
                           "// c\n{}",
                           "{} x",
                           "]",
                           "\xEF\xBB\xBF{}",
                           "[\"\xff\"]",
                           "[\"\xc0\xaf\"]",
                           "[\"\xed\xa0\x80\"]"}) {
    const std::string message = refusal(text);
    EXPECT_TRUE(message.starts_with("f:")) << message;
    EXPECT_NE(message.find("; "), std::string::npos) << "no remedy: " << message;
    EXPECT_EQ(message.find("json.exception"), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(JsonDocument, NumbersThatDoNotFitAreRefused) {
  EXPECT_NE(refusal("[1e999]").find("64-bit float"), std::string::npos);
  EXPECT_NE(refusal("[9223372036854775808]").find("does not fit"), std::string::npos);
  EXPECT_NE(refusal("[-9223372036854775809]").find("does not fit"), std::string::npos);
  EXPECT_NE(refusal("[" + std::string(5000, '9') + "]").find("f:1: "), std::string::npos);
  EXPECT_EQ(parse("-9223372036854775808", "f").root.integer, INT64_MIN);
}

TEST(JsonDocument, AMillionBracketsGiveOneMessage) {
  EXPECT_TRUE(refusal(std::string(1'000'000, '[')).starts_with("f:1: nested deeper than 64"));
  std::string objects;
  for (int i = 0; i < 200'000; ++i) objects += "{\"a\":";
  EXPECT_TRUE(refusal(objects).starts_with("f:1: nested deeper than 64"));
  const std::string deepest = std::string(64, '[') + std::string(64, ']');
  EXPECT_EQ(parse(deepest, "f").root.type, Type::array);
  EXPECT_TRUE(refusal("[" + deepest + "]").starts_with("f:1: nested"));
}

TEST(JsonDocument, SizesAreBounded) {
  EXPECT_TRUE(refusal(std::string((16U << 20U) + 1, ' ')).starts_with("f: larger than 16 MiB"));
  std::string values = "[1";
  for (int i = 0; i < 1'000'000; ++i) values += ",1";
  EXPECT_NE(refusal(values + "]").find("more than 1000000 values"), std::string::npos);
}

TEST(JsonDocument, AZeroByteEndsNothing) {
  EXPECT_TRUE(refusal(std::string_view("{}\n\0x", 5)).starts_with("f:2: a zero byte"));
}

TEST(JsonDocument, FilesThatCannotBeReadAreTheSurroundingsFault) {
  EXPECT_THROW(read("/nonexistent/file.json"), EnvironmentError);
  EXPECT_THROW(read(std::filesystem::temp_directory_path()), EnvironmentError);
  EXPECT_THROW(read("/dev/zero"), InputError);
}

TEST(JsonDocument, ProblemsAreCollectedUpToTwenty) {
  Problems problems("f");
  EXPECT_NO_THROW(problems.raise());
  problems.add(3, "/a", "is odd", "make it even");
  problems.add(4, "", "is late");
  try {
    problems.raise();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "f:3:/a: is odd; make it even\nf:4: is late");
  }
  for (int i = 0; i < 30; ++i) problems.add(5, "", "again");
  try {
    problems.raise();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.problems().size(), 21U);
    EXPECT_EQ(error.problems().back().message, "and 12 more problems");
  }
}

}  // namespace json_document_test
}  // namespace oracle::json
