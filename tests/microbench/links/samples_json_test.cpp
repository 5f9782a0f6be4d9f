#include "microbench/links/samples_json.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace oracle {
namespace links_samples_json_test {

TEST(LinkSamplesJson, HoldsWhatWasMeasured) {
  MeasuredCase measured;
  measured.link_case = {"network", LinkAction::all_gather, {{0, 2}, {1, 3}}, 1, 2};
  LinkTimes times;
  times.bytes = 4096;
  for (const double seconds : {3e-6, 1e-6, 2e-6}) times.series.add(seconds);
  measured.times.push_back(times);
  const InterferenceTimes beside{"network", 1000, 1e-3, 1.5e-3, 2e-3, 3e-3};
  const auto json =
      nlohmann::json::parse(link_samples_json({{"host", "a\"b"}}, {{measured}, {beside}}));
  EXPECT_EQ(json["schema"], "oracle/samples/1");
  EXPECT_EQ(json["context"]["host"], "a\"b");
  const auto& row = json["links"][0];
  EXPECT_EQ(row["level"], "network");
  EXPECT_EQ(row["operation"], "all_gather");
  EXPECT_EQ(row["ranks"], 2);
  EXPECT_EQ(row["flows"], 2);
  EXPECT_EQ(row["bytes"], 4096);
  EXPECT_DOUBLE_EQ(row["median"], 2e-6);
  EXPECT_EQ(row["count"], 3);
  EXPECT_DOUBLE_EQ(json["interference"][0]["transfer_beside"], 3e-3);
}

TEST(LinkSamplesJson, NothingIsAnEmptyList) {
  const auto json = nlohmann::json::parse(link_samples_json({}, {}));
  EXPECT_TRUE(json["links"].empty());
  EXPECT_TRUE(json["interference"].empty());
}

}  // namespace links_samples_json_test
}  // namespace oracle
