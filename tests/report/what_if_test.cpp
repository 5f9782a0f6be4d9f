#include "oracle/report/what_if.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace report_what_if_test {

using Json = nlohmann::ordered_json;

Document example() {
  Sensitivity found;
  found.elasticities = {{MachineFigure::link_bandwidth, 0, 0.7512},
                        {MachineFigure::flop_rate, 0, 0.25},
                        {MachineFigure::launch_overhead, 0, 0.001}};
  found.sum = 1.0022;
  found.changes = {{"overlap=on", Seconds{0.04}, 0.2},
                   {"bucket=50.0 MiB", Seconds{0.05}, 0},
                   {"exchange=tree", Seconds{0.06}, -0.2},
                   {"schedule=gpipe", std::nullopt, 0}};
  Document document{.schema = "oracle/test/1", .main = "elasticities"};
  document.sections.emplace_back(elasticity_table(found, small_cluster()));
  document.sections.emplace_back(change_table(found));
  return document;
}

TEST(WhatIf, NamesWhatMattersAndSumsUp) {
  EXPECT_NE(as_table(example()).find("what 1 % better would gain\n"
                                     "  figure                    better is  step shortens by\n"
                                     "  bandwidth of node (wire)  more                 0.75 %\n"
                                     "  FLOP rate                 more                 0.25 %\n"
                                     "  all of these                                   1.00 %\n"
                                     "\n"
                                     "what one change would gain\n"
                                     "  change             step    difference\n"
                                     "  overlap=on      40.0 ms         -20 %\n"
                                     "  exchange=tree   60.0 ms         +20 %\n"
                                     "  schedule=gpipe           does not fit\n"),
            std::string::npos)
      << as_table(example());
}

TEST(WhatIf, ProgramsReadEveryFigure) {
  const Json json = Json::parse(as_json(example()));
  ASSERT_EQ(json["elasticities"].size(), 4U);
  EXPECT_EQ(json["elasticities"][0]["figure"], "node/bandwidth");
  EXPECT_EQ(json["elasticities"][2]["figure"], "launch_overhead");
  EXPECT_EQ(json["elasticities"][2]["direction"], "less");
  EXPECT_EQ(json["elasticities"][2]["elasticity"], 0.001);
  ASSERT_EQ(json["changes"].size(), 4U);
  EXPECT_EQ(json["changes"][1]["difference"]["value"], 0);
  EXPECT_TRUE(json["changes"][3]["step_time"].is_null());
}

}  // namespace report_what_if_test
}  // namespace oracle::report
