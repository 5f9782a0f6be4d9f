#include <gtest/gtest.h>
#include <limits>

#include "oracle/report/format/whole.h"

namespace oracle::report {
namespace format_whole_test {

TEST(Whole, WorkedNumbers) {
  EXPECT_TRUE(is_whole(1e15));
  EXPECT_FALSE(is_whole(1e16));
  EXPECT_FALSE(is_whole(0.5));
}

TEST(Whole, SignAndWhatIsNoNumber) {
  EXPECT_TRUE(is_whole(-3));
  EXPECT_FALSE(is_whole(std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(is_whole(std::numeric_limits<double>::quiet_NaN()));
}

}  // namespace format_whole_test
}  // namespace oracle::report
