#include "oracle/report/run_section.h"

#include <gtest/gtest.h>

#include "tests/report/fixtures.h"
#include "tests/report/rendered.h"

namespace oracle::report {
namespace run_section_test {

std::string shown(const Table& table) {
  Document document{.headline = "h", .main = "run"};
  document.sections.emplace_back(table);
  return as_table(document);
}

TEST(RunSection, AnEpochIsItsStepsAndTheRunItsEpochs) {
  const Cost step{Seconds{0.1}, Source::assumed, 0.2};
  Cluster cluster = small_cluster();
  cluster.device.price_per_hour = 0;
  // ⌈1,281,167 / 2048⌉ = 626 steps, 62.6 s; on 64 devices 1.1129 device-hours; 90 times that.
  EXPECT_EQ(shown(run_table({1281167, 90}, step, 2048, 64, cluster)),
            "h\n\n"
            "the run: 1,281,167 samples, 90 epochs\n"
            "              steps             time  GPU-hours\n"
            "  an epoch      626  1.04 min ± 20 %       1.11\n"
            "  90 epochs  56,340    1.56 h ± 20 %        100\n");
}

TEST(RunSection, DevicesThatRanksShareArePaidOnce) {
  const Cost step{Seconds{3600}, Source::assumed, 0.1};
  Cluster cluster = small_cluster();
  cluster.ranks_per_device = 2;
  cluster.device.price_per_hour = 2.5;
  // 10 steps of an hour on 4 ranks: 2 devices, 20 hours, 50 dollars.
  const Table table = run_table({20, 1}, step, 2, 4, cluster);
  EXPECT_EQ(table.rows[1].cells[3].value, 20);
  EXPECT_EQ(table.rows[1].cells[4].value, 50);
  EXPECT_NE(shown(table).find("$50.0"), std::string::npos);
}

}  // namespace run_section_test
}  // namespace oracle::report
