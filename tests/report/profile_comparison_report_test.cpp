#include "oracle/report/profile_comparison_report.h"

#include <gtest/gtest.h>

#include "tests/report/rendered.h"

namespace oracle::report {
namespace profile_comparison_report_test {

KernelTime dense(std::int64_t samples, double seconds) {
  KernelTime kernel;
  kernel.key.kind = "dense";
  kernel.key.samples = samples;
  kernel.key.input = {64, 1, 1, 1};
  kernel.key.output = {32, 1, 1, 1};
  kernel.key.contraction = true;
  kernel.cost = {Seconds{seconds}, Source::measured, 0.01};
  return kernel;
}

Document compared(std::size_t most_shown) {
  Cluster one, other;
  one.device.name = other.device.name = "a processor";
  other.device.multiprocessors = 4;
  Profile baseline, contender;
  baseline.kernels = {dense(1, 1e-3), dense(2, 2e-3), dense(4, 4e-3), dense(8, 8e-3)};
  contender.kernels = {dense(1, 1e-3), dense(2, 2.2e-3), dense(4, 2e-3), dense(16, 1)};
  return profile_comparison_report(compare_profiles({one, baseline}, {other, contender}),
                                   {"a.json", "b.json"}, most_shown);
}

TEST(ProfileComparisonReport, ATableShowsWhatIsNotEqual) {
  const std::string table = as_table(compared(30));
  EXPECT_TRUE(table.starts_with(
      "ambiguous: 3 figures differ by 10 % in the median, past the threshold of 3.0 %\n"))
      << table;
  for (const char* part :
       {"b.json (contender) compared with a.json (baseline)", "4×64 → 32", "-50 %", "2.00 ms",
        "+10 %", "missing", "5.51 MFLOP/s", "processors: 1 and 4"}) {
    EXPECT_NE(table.find(part), std::string::npos) << part << "\n" << table;
  }
  EXPECT_EQ(table.find("  1×64 → 32"), std::string::npos) << table;
  EXPECT_LT(table.find("4×64"), table.find(" 2×64")) << "largest first\n" << table;
  EXPECT_NE(as_table(compared(1)).find("all of them: --format csv"), std::string::npos);
}

TEST(ProfileComparisonReport, ProgramsGetAllFigures) {
  const std::string csv = as_csv(compared(1));
  EXPECT_TRUE(
      csv.starts_with("kind,parameter,at,baseline,baseline_uncertainty [1],contender,"
                      "contender_uncertainty [1],difference [1],verdict,unit\r\n"
                      "kernel,dense_forward_fp32,4×64 → 32,0.004,0.01,0.002,0.01,-0.5,"
                      "faster,s\r\n"))
      << csv;
  EXPECT_NE(csv.find("1×64 → 32,0.001,0.01,0.001,0.01,0,equal,s\r\n"), std::string::npos) << csv;
  EXPECT_NE(csv.find("16×64 → 32,,,1,0.01,,missing,s\r\n"), std::string::npos) << csv;
  const std::string json = as_json(compared(1));
  EXPECT_NE(json.find("\"verdict\": \"ambiguous\""), std::string::npos) << json;
  EXPECT_NE(json.find("\"oracle/profile-comparison/1\""), std::string::npos);
}

}  // namespace profile_comparison_report_test
}  // namespace oracle::report
