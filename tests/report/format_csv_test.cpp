#include <gtest/gtest.h>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace format_csv_test {

Document with(Table table) {
  Document document{.headline = "h", .main = "t"};
  document.sections.emplace_back(Table{.key = "other", .columns = {text_column("x", {})}});
  table.key = "t";
  document.sections.emplace_back(std::move(table));
  return document;
}

TEST(CsvFormat, UnitsStandInTheHeadingAndNumbersAreExact) {
  const Document document =
      with({.columns = {text_column("part", "part"), number_column("time", "time", "s"),
                        label_column("for people"), data_column("sent", "B")},
            .rows = {{{words("forward"), time(Seconds{0.1 + 0.2}), words("unseen"),
                       size(Bytes{4e6})}}}});
  EXPECT_EQ(as_csv(document),
            "part,time [s],sent [B]\r\n"
            "forward,0.30000000000000004,4000000\r\n");
}

// RFC 4180, section 2, rules 6 and 7.
TEST(CsvFormat, QuotesWhatWouldBreakAField) {
  const Document document = with({.columns = {text_column("text", {})},
                                  .rows = {{{words("data:16,filter:4")}},
                                           {{words("say \"no\"")}},
                                           {{words("a\nb\x1b[31m")}},
                                           {{words("plain; text")}}}});
  EXPECT_EQ(as_csv(document),
            "text\r\n"
            "\"data:16,filter:4\"\r\n"
            "\"say \"\"no\"\"\"\r\n"
            "\"a\nb?[31m\"\r\n"
            "plain; text\r\n");
}

TEST(CsvFormat, HoldsRowsThatATableLeavesOut) {
  const Document document = with({.columns = {number_column("n", {})},
                                  .rows = {{{count(1)}, false}, {{count(2)}}},
                                  .shown = false,
                                  .most_rows = 0});
  EXPECT_EQ(as_csv(document), "n\r\n1\r\n2\r\n");
}

}  // namespace format_csv_test
}  // namespace oracle::report
