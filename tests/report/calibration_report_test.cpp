#include "oracle/report/calibration_report.h"

#include <cmath>
#include <gtest/gtest.h>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace calibration_report_test {

KernelFit fit(const std::string& family, double median) {
  KernelFit out;
  out.family = family;
  out.points.resize(7);
  out.median_error = std::log1p(median);
  out.high_error = std::log1p(2 * median);
  out.outliers = 1;
  return out;
}

TEST(CalibrationReport, SaysHowFarEachFitCanBeTrusted) {
  Cluster cluster;
  cluster.device.name = "a processor";
  Profile profile;
  profile.kernels.resize(20);
  profile.fits = {fit("dense", 0.05), fit("pool max", 0.5), fit("add", 0.06)};
  profile.links = {
      {.level = "machine", .pieces = {{Bytes{0}, Seconds{1e-6}, Bandwidth{5e9}, 0.1}}}};
  profile.links[0].tabulated = true;
  profile.storage = {
      {.operation = StorageOperation::read_random, .cached = true, .rate = Bandwidth{2e9}}};
  const std::string table = as_table(calibration_report({cluster,
                                                         profile,
                                                         {{"clock", "processor"}},
                                                         {"not measured: x"},
                                                         "p.json",
                                                         std::log1p(0.2)}));
  EXPECT_TRUE(
      table.starts_with("20 kernels measured, 3 fits of kernels, off by 6.0 % in the median "
                        "where left out, 1 fit of links, 1\nrate of storage\n"))
      << table;
  for (const char* part : {"profile of a processor in p.json", "clock  processor", "pool max",
                           "bad\n", "bad fits are off", "5.00 GB/s", "not measured: x",
                           "read random", "2.00 GB/s", "from memory"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  }
  const std::size_t dense = table.find("  dense");
  EXPECT_EQ(table.substr(dense, table.find('\n', dense) - dense).find("bad"), std::string::npos);
}

}  // namespace calibration_report_test
}  // namespace oracle::report
