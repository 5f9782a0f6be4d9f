#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace format_json_test {

using Json = nlohmann::ordered_json;

TEST(JsonFormat, HoldsEverySectionUnderItsKey) {
  Document document{.schema = "oracle/test/1", .headline = "h", .subject = "s", .main = "t"};
  document.sections.emplace_back(Fields{.rows = {{"ranks", {}, count(2)}}, .shown = false});
  document.sections.emplace_back(
      Fields{.key = "device", .rows = {{"memory", "memory", memory_size(Bytes{1024})}}});
  document.sections.emplace_back(
      Table{.key = "t",
            .columns = {text_column("a", {}), label_column("x"), number_column("b", {}, "s")},
            .rows = {{{words("one"), words("unseen"), time(Seconds{2})}}}});
  document.sections.emplace_back(Notes{"assumptions", "assumed", {"nothing"}});
  document.sections.emplace_back(Figure{"drawing", {"FFB"}});
  EXPECT_EQ(Json::parse(as_json(document)), Json::parse(R"({
    "schema": "oracle/test/1", "headline": "h", "subject": "s", "ranks": 2,
    "device": {"memory": {"value": 1024, "unit": "B"}},
    "t": [{"a": "one", "b": {"value": 2, "unit": "s"}}],
    "assumptions": ["nothing"]})"));
}

TEST(JsonFormat, KeepsFullPrecision) {
  Document document{.schema = "oracle/test/1"};
  const double awkward = 0.1 + 0.2;
  document.sections.emplace_back(Fields{.rows = {{"t", {}, time(Seconds{awkward})}}});
  EXPECT_EQ(Json::parse(as_json(document))["t"]["value"].get<double>(), awkward);
}

TEST(JsonFormat, ReplacesBytesThatAreNoText) {
  Document document{.schema = "oracle/test/1", .headline = "bad \xff name"};
  EXPECT_EQ(Json::parse(as_json(document))["headline"], "bad \uFFFD name");
}

}  // namespace format_json_test
}  // namespace oracle::report
