#include "oracle/report/cluster_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace cluster_report_test {

using Json = nlohmann::ordered_json;

TEST(ClusterReport, ShowsLevelsDeviceAndSources) {
  Cluster cluster = small_cluster();
  cluster.assumptions = {"cache: a guess", "nobody else is there"};
  const std::string text = as_table(cluster_report(cluster));
  EXPECT_TRUE(text.starts_with(
      "A pair   2 ranks of Box 1\n"
      "\n"
      "Two boxes\n"
      "\n"
      "levels, inside out\n"
      "  level  joins       ranks  uplink of each  bandwidth   one flow  latency\n"
      "  node   2 × device      2  wire            25.0 GB/s  12.5 GB/s  9.00 us\n"))
      << text;
  EXPECT_NE(text.find("sources of the device\n"
                      "  datasheet  memory           Box data sheet, 2018\n"
                      "  assumed    cache, reserved  a guess\n"),
            std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("assumed\n  - nobody else is there\n")) << text;
}

TEST(ClusterReport, JsonHoldsQuantitiesWithUnits) {
  const Json json = Json::parse(as_json(cluster_report(small_cluster())));
  EXPECT_EQ(json["schema"], "oracle/cluster-report/1");
  EXPECT_EQ(json["ranks"], 2);
  EXPECT_EQ(json["levels"][0]["bandwidth"],
            Json::parse(R"({"value": 25000000000, "unit": "B/s"})"));
  EXPECT_EQ(json["device"]["memory"]["unit"], "B");
  EXPECT_EQ(json["peaks"].size(), kDataTypeCount);
}

TEST(DeviceReport, FormatsThatAreNotOfferedAreNotShown) {
  const std::string text = as_table(device_report(small_cluster().device));
  EXPECT_TRUE(text.starts_with("Box 1   15.7 TFLOP/s fp32   16.0 GiB   900 GB/s\n")) << text;
  EXPECT_NE(text.find("peaks (dense)\n  fp32  15.7 TFLOP/s  vector unit\n\n"), std::string::npos);
}

TEST(DeviceReport, WhatKernelsDoBesidesIsShownWhereTheyDo) {
  Device device = small_cluster().device;
  EXPECT_EQ(as_table(device_report(device)).find("fuses"), std::string::npos);
  device.channel_block = 16;
  device.fusions = fusions_of_kernels(DeviceClass::cpu);
  const std::string text = as_table(device_report(device));
  EXPECT_NE(text.find("channels in blocks of  16\n"), std::string::npos) << text;
  EXPECT_NE(text.find("fuses                  convolution_activation, dense_activation\n"),
            std::string::npos)
      << text;
}

TEST(DeviceReport, APriceIsShownWhereItIsKnown) {
  Device device = small_cluster().device;
  EXPECT_EQ(as_table(device_report(device)).find("price"), std::string::npos);
  device.price_per_hour = 2.5;
  EXPECT_NE(as_table(device_report(device)).find("$2.50 per hour"), std::string::npos);
}

}  // namespace cluster_report_test
}  // namespace oracle::report
