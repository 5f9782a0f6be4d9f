#include <gtest/gtest.h>

#include "oracle/base/quantity_text.h"
#include "oracle/io/json/document.h"

namespace oracle::json {
namespace object_reader_test {

/// What reading `text` with `walk` complains about, one line per problem.
template <typename Walk>
std::string complaints(std::string_view text, Walk walk) {
  const Document document = parse(text, "f");
  Problems problems("f");
  ObjectReader reader(document.root, "", problems);
  walk(reader);
  try {
    problems.raise();
  } catch (const InputError& error) {
    return error.what();
  }
  return {};
}

TEST(ObjectReader, ReadsWhatIsThere) {
  EXPECT_EQ(complaints(R"({"s": "x", "i": 3, "n": 2, "b": true, "l": ["p", "q"], "t": "1.5 us"})",
                       [](ObjectReader& reader) {
                         EXPECT_EQ(reader.string("s"), "x");
                         EXPECT_EQ(reader.integer("i", 1, 3), 3);
                         EXPECT_EQ(reader.number("n", 0, 9), 2);
                         EXPECT_TRUE(reader.boolean("b", false));
                         EXPECT_EQ(reader.strings("l"), (std::vector<std::string>{"p", "q"}));
                         EXPECT_EQ(reader.quantity("t", parse_seconds), Seconds{1.5e-6});
                         reader.finish();
                       }),
            "");
}

TEST(ObjectReader, FallsBackWhereNothingIs) {
  EXPECT_EQ(complaints("{}",
                       [](ObjectReader& reader) {
                         EXPECT_EQ(reader.string("s", "d"), "d");
                         EXPECT_EQ(reader.integer("i", 1, 3, 2), 2);
                         EXPECT_EQ(reader.number("n", 0, 9), 9);
                         EXPECT_TRUE(reader.boolean("b", true));
                         EXPECT_TRUE(reader.strings("l").empty());
                         EXPECT_EQ(reader.quantity("t", parse_seconds, Seconds{4}), Seconds{4});
                         EXPECT_EQ(reader.object("o", false), nullptr);
                         reader.finish();
                       }),
            "");
}

TEST(ObjectReader, ReportsEverythingAtOnce) {
  EXPECT_EQ(complaints("{\n\"s\": 1,\n\"i\": 9,\n\"n\": -1.5,\n\"l\": [\"p\",\n2],\n\"t\": 25,\n"
                       "\"rate\": \"25\",\n\"bandwith\": 1}",
                       [](ObjectReader& reader) {
                         reader.string("s");
                         reader.integer("i", 1, 3);
                         reader.number("n", 0, 9);
                         reader.strings("l");
                         reader.quantity("t", parse_seconds);
                         reader.quantity("rate", parse_bandwidth);
                         reader.object("missing", true);
                         reader.has("bandwidth");
                         reader.finish();
                       }),
            "f:2:/s: is an integer, not a string\n"
            "f:3:/i: 9 is out of range; write an integer from 1 to 3\n"
            "f:4:/n: -1.5 is out of range; write a number of at least 0\n"
            "f:6:/l/1: is an integer, not a string\n"
            "f:7:/t: \"25\" has no unit; write \"25 us\"\n"
            "f:8:/rate: \"25\" has no unit; write \"25 GB/s\"\n"
            "f:1: \"missing\" is missing; add it\n"
            "f:9:/bandwith: unknown key \"bandwith\"; did you mean \"bandwidth\"?");
}

TEST(ObjectReader, ARequiredQuantityOfTheWrongTypeIsNamed) {
  EXPECT_EQ(complaints(R"({"t": [1]})",
                       [](ObjectReader& reader) { reader.quantity("t", parse_seconds); }),
            "f:1:/t: is an array, not a string");
}

TEST(ObjectReader, WhatIsNoObjectIsOneProblem) {
  EXPECT_EQ(complaints("[1]",
                       [](ObjectReader& reader) {
                         reader.string("s");
                         reader.object("o", true);
                         reader.finish();
                       }),
            "f:1: is an array, not an object");
}

TEST(ObjectReader, PointersEscapeTheirSeparators) {
  EXPECT_EQ(complaints(R"({"a/b~c": 1, "d\ne": 2})", [](ObjectReader& reader) { reader.finish(); }),
            "f:1:/a~1b~0c: unknown key \"a/b~c\"\nf:1:/d?e: unknown key \"d?e\"");
}

}  // namespace object_reader_test
}  // namespace oracle::json
