#include "oracle/report/document.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace report_document_test {

/// One cell as all three formats write it.
struct Forms {
  std::string table, csv, json;
};

Forms forms_of(const Cell& cell) {
  Document document{.schema = "oracle/test/1", .headline = "h", .main = "t"};
  document.sections.emplace_back(
      Table{.key = "t", .columns = {text_column("c", {})}, .rows = {{{cell}}}});
  const std::string table = as_table(document);
  const std::string csv = as_csv(document);
  return {table.substr(table.rfind("\n  ") + 3), csv.substr(csv.find("\r\n") + 2),
          nlohmann::ordered_json::parse(as_json(document))["t"][0]["c"].dump()};
}

TEST(Cell, ACostKeepsItsSourceAndInterval) {
  const Forms forms = forms_of(cost({Seconds{0.0412}, Source::datasheet, 0.12}));
  EXPECT_EQ(forms.table, "41.2 ms\n");
  EXPECT_EQ(forms.csv, "0.0412\r\n");
  EXPECT_EQ(forms.json, R"({"value":0.0412,"unit":"s","source":"datasheet","uncertainty":0.12})");
}

TEST(Cell, ACountIsAPlainWholeNumber) {
  const Forms forms = forms_of(count(25557032));
  EXPECT_EQ(forms.table, "25,557,032\n");
  EXPECT_EQ(forms.csv, "25557032\r\n");
  EXPECT_EQ(forms.json, "25557032");
}

TEST(Cell, ANameIsProseForPeopleAndItselfForPrograms) {
  const Forms forms = forms_of(named("gradient_exchange"));
  EXPECT_EQ(forms.table, "gradient exchange\n");
  EXPECT_EQ(forms.csv, "gradient_exchange\r\n");
  EXPECT_EQ(forms.json, R"("gradient_exchange")");
}

TEST(Cell, NothingIsNullAndAnImpossibleNumberToo) {
  EXPECT_EQ(forms_of(Cell{}).json, "null");
  EXPECT_EQ(forms_of(Cell{}).csv, "\r\n");
  EXPECT_EQ(forms_of(Cell{.text = "x", .value = 0.0 / 0.0}).json, "null");
}

TEST(Cell, MemoryIsCountedInPowersOfTwoAndMessagesOfTen) {
  EXPECT_EQ(forms_of(memory_size(Bytes{16.0 * 1024 * 1024 * 1024})).table, "16.0 GiB\n");
  EXPECT_EQ(forms_of(size(Bytes{25e6})).table, "25.0 MB\n");
  EXPECT_EQ(forms_of(size(Bytes{25e6})).json, R"({"value":25000000,"unit":"B"})");
}

}  // namespace report_document_test
}  // namespace oracle::report
