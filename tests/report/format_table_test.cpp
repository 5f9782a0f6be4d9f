#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace format_table_test {

Document example() {
  Document document{.schema = "oracle/test/1",
                    .headline = "step 41.2 ms ± 12 %   fits",
                    .subject = "small on pair",
                    .main = "parts"};
  document.sections.emplace_back(Fields{.rows = {{"hidden", {}, count(7)}}, .shown = false});
  document.sections.emplace_back(
      Table{.key = "parts",
            .columns = {text_column("part", "part"), number_column("time", "time", "s"),
                        data_column("id")},
            .rows = {{{words("forward"), time(Seconds{0.012}), count(1)}},
                     {{words("bubble"), time(Seconds{0}), count(2)}, false},
                     {{words("backward"), time(Seconds{0.1}), count(3)}}}});
  document.sections.emplace_back(Fields{.rows = {{"b", "limited by", words("the wire")},
                                                 {"c", "by", words("much")},
                                                 {"d", {}, words("unseen")}}});
  document.sections.emplace_back(Notes{"assumptions", "assumed", {"nothing"}});
  document.sections.emplace_back(Figure{"drawing", {"FFB", "  U"}});
  return document;
}

TEST(TableFormat, AlignsColumnsAndLeavesOutWhatIsForPrograms) {
  EXPECT_EQ(as_table(example()),
            "step 41.2 ms ± 12 %   fits\n"
            "\n"
            "small on pair\n"
            "\n"
            "  part         time\n"
            "  forward   12.0 ms\n"
            "  backward   100 ms\n"
            "\n"
            "  limited by  the wire\n"
            "  by          much\n"
            "\n"
            "assumed\n"
            "  - nothing\n"
            "\n"
            "drawing\n"
            "  FFB\n"
            "    U\n");
}

/// Names come from files.
TEST(TableFormat, NamesCommandNoTerminal) {
  const std::string name = "a\x1b[31mb\nc";
  Document document{.headline = name, .subject = name};
  document.sections.emplace_back(Table{
      .title = name, .columns = {text_column("x", name)}, .rows = {{{words(name)}}}, .rest = name});
  document.sections.emplace_back(Fields{.rows = {{"b", name, words(name)}}});
  document.sections.emplace_back(Notes{"notes", name, {name}});
  document.sections.emplace_back(Figure{name, {name}, name});
  const std::string text = as_table(document);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("a?[31mb"), std::string::npos);
  EXPECT_EQ(as_table(document, {.color = true}).find("\x1b[31m"), std::string::npos);
}

TEST(TableFormat, ColorMakesTitlesBoldAndNothingElse) {
  const std::string text = as_table(example(), {.color = true});
  EXPECT_NE(text.find("\033[1mstep 41.2 ms ± 12 %   fits\033[0m\n"), std::string::npos);
  EXPECT_NE(text.find("\033[1massumed\033[0m\n"), std::string::npos);
  EXPECT_EQ(as_table(example()).find('\033'), std::string::npos);
}

TEST(TableFormat, WrapsWordsUntilTheTableFits) {
  Document document{.headline = "h"};
  document.sections.emplace_back(
      Table{.key = "t",
            .columns = {number_column("n", "n"), text_column("why", "why")},
            .rows = {{{count(1), words("a reason that is too long")}}}});
  EXPECT_EQ(as_table(document, {.width = 20}),
            "h\n\n"
            "  n  why\n"
            "  1  a reason that\n"
            "     is too long\n");
}

TEST(TableFormat, NeverCutsAWord) {
  Document document{.headline = "h"};
  document.sections.emplace_back(Table{.key = "t",
                                       .columns = {text_column("a", {}), number_column("n", {})},
                                       .rows = {{{words("abcdefghijklmnop"), count(1)}}}});
  EXPECT_EQ(as_table(document, {.width = 15}), "h\n\n  abcdefghijklmnop  1\n");
}

TEST(TableFormat, LeavesColumnsOutInTheirOrderAndNamesThem) {
  Document document{.headline = "h"};
  document.sections.emplace_back(
      Table{.key = "t",
            .columns = {text_column("s", "strategy"), left_out(number_column("a", "aaaaaaaa"), 2),
                        left_out(number_column("b", "bbbbbbbb"), 1), number_column("c", "c")},
            .rows = {{{words("data:16,filter:4"), count(1), count(2), count(3)}}}});
  EXPECT_EQ(as_table(document, {.width = 41}),
            "h\n\n"
            "  strategy          aaaaaaaa  bbbbbbbb  c\n"
            "  data:16,filter:4         1         2  3\n");
  EXPECT_EQ(as_table(document, {.width = 40}),
            "h\n\n"
            "  strategy          aaaaaaaa  c\n"
            "  data:16,filter:4         1  3\n"
            "  left out, as the terminal is narrow:\n"
            "  bbbbbbbb\n");
  EXPECT_EQ(as_table(document, {.width = 30}),
            "h\n\n"
            "  strategy          c\n"
            "  data:16,filter:4  3\n"
            "  left out, as the terminal is\n"
            "  narrow: bbbbbbbb, aaaaaaaa\n");
}

TEST(TableFormat, WordsWrapBeforeAColumnIsLeftOut) {
  Document document{.headline = "h"};
  document.sections.emplace_back(
      Table{.key = "t",
            .columns = {left_out(number_column("n", "number"), 1), text_column("why", "why")},
            .rows = {{{count(1), words("twenty letters and a few more")}}}});
  EXPECT_EQ(as_table(document, {.width = 30}),
            "h\n\n"
            "  number  why\n"
            "       1  twenty letters and a\n"
            "          few more\n");
}

TEST(TableFormat, SentencesAreNoWiderThanTheyCanBeRead) {
  Document document{.headline = std::string(60, 'a') + " " + std::string(60, 'b')};
  EXPECT_EQ(as_table(document, {.width = 300}),
            std::string(60, 'a') + "\n" + std::string(60, 'b') + "\n");
}

TEST(TableFormat, SaysHowManyRowsAreMissing) {
  Document document{.headline = "h"};
  document.sections.emplace_back(Table{.key = "t",
                                       .columns = {number_column("n", {})},
                                       .rows = {{{count(1)}}, {{count(2)}}, {{count(3)}}},
                                       .most_rows = 2,
                                       .rest = "and 1 more"});
  EXPECT_EQ(as_table(document), "h\n\n  1\n  2\n  and 1 more\n");
}

TEST(TableFormat, MostRowsMayHoldForDataToo) {
  Document document{.headline = "h", .main = "t"};
  Table table{.key = "t",
              .columns = {number_column("n", {})},
              .rows = {{{count(1)}}, {{count(2)}}, {{count(3)}}},
              .most_rows = 2};
  document.sections.emplace_back(table);
  EXPECT_EQ(as_csv(document), "n\r\n1\r\n2\r\n3\r\n");
  table.most_everywhere = true;
  document.sections.back() = table;
  EXPECT_EQ(as_csv(document), "n\r\n1\r\n2\r\n");
  EXPECT_EQ(as_json(document).find("\"n\": 3"), std::string::npos);
}

TEST(TableFormat, AnEmptySectionLeavesNoTitle) {
  Document document{.headline = "h"};
  document.sections.emplace_back(Table{.key = "t", .title = "none", .columns = {}, .rows = {}});
  document.sections.emplace_back(Notes{"n", "none", {}});
  document.sections.emplace_back(Fields{.title = "none"});
  EXPECT_EQ(as_table(document), "h\n");
}

TEST(Formats, AMisspeltNameIsSuggested) {
  EXPECT_EQ(format_named("csv").name, "csv");
  try {
    format_named("jsn");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "--format: \"jsn\" is not a format; did you mean \"json\"?");
  }
}

}  // namespace format_table_test
}  // namespace oracle::report
