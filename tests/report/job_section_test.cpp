#include "oracle/report/job_section.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle::report {
namespace job_section_test {

Fits predicted(double seconds) {
  Fits fits;
  fits.step.time = Seconds{seconds};
  fits.step.source = Source::datasheet;
  fits.step.uncertainty = 0.16;
  fits.memory.bytes[static_cast<std::size_t>(MemoryUse::weights)] = Bytes{55.0 * 0x1p30};
  return fits;
}

TEST(JobSection, WorkedNumber) {
  const std::vector<Seconds> steps = {Seconds{4.18}, Seconds{4.21}, Seconds{4.30}};
  const Fields fields = job_fields({steps, Bytes{58.0 * 0x1p30}, {}}, predicted(4.05));
  ASSERT_EQ(fields.rows.size(), 3U);
  EXPECT_EQ(fields.rows[0].cell.text, "4.21 s, median of 3 steps (4.18 s to 4.30 s)");
  EXPECT_EQ(fields.rows[1].cell.text, "4.05 s ± 16 %: 3.8 % less, inside its interval");
  EXPECT_EQ(fields.rows[2].cell.text, "58.0 GiB at most; 55.0 GiB predicted, 5.2 % less");
}

TEST(JobSection, SaysWhatKernelsWouldHaveTaken) {
  const std::vector<Seconds> steps = {Seconds{4.21}};
  const Fields fields = job_fields({steps, {}, {}, 1.044}, predicted(4.05));
  ASSERT_EQ(fields.rows.size(), 3U);
  EXPECT_EQ(fields.rows[2].cell.text, "as if they took 1.04 times as long as priced");
}

TEST(JobSection, OutsideOfTheInterval) {
  const std::vector<Seconds> steps = {Seconds{8.10}};
  const Fields fields = job_fields({steps, {}, {}}, predicted(4.05));
  ASSERT_EQ(fields.rows.size(), 2U);
  EXPECT_EQ(fields.rows[0].cell.text, "8.10 s, median of 1 step (8.10 s to 8.10 s)");
  EXPECT_EQ(fields.rows[1].cell.text, "4.05 s ± 16 %: 50 % less, outside its interval");
}

TEST(JobSection, NothingWasMeasured) { EXPECT_TRUE(job_fields({}, predicted(4.05)).rows.empty()); }

}  // namespace job_section_test
}  // namespace oracle::report
