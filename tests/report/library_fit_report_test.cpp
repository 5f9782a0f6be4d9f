#include "oracle/report/library_fit_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace library_fit_report_test {

using Json = nlohmann::ordered_json;

TEST(LibraryFitReport, FittedConstantsStandNextToThoseInUse) {
  LibraryFit fit{"device", "fp32", 3, {}, {}, 0.5, 0.25};
  fit.in_use.ceiling = 0.5;
  fit.fitted.ceiling = 0.75;
  const Json json = Json::parse(as_json(library_fit_report({&fit, 1})));
  ASSERT_EQ(json["losses"].size(), 1U);
  EXPECT_EQ(json["losses"][0]["device"], "device");
  EXPECT_EQ(json["losses"][0]["kernels"], 3);
  EXPECT_EQ(json["losses"][0]["fitted"], 0.25);
  ASSERT_EQ(json["constants"].size(), 1U) << "the others are 0 in use";
  EXPECT_EQ(json["constants"][0]["constant"], "ceiling");
  EXPECT_EQ(json["constants"][0]["in_use"], 0.5);
  EXPECT_EQ(json["constants"][0]["fitted"], 0.75);
}

}  // namespace library_fit_report_test
}  // namespace oracle::report
