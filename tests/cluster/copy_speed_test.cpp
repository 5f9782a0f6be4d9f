#include "oracle/cluster/copy_speed.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace {

const std::vector<CopySpeed> kMeasured = {{Bytes{1e6}, Bandwidth{20e9}},
                                          {Bytes{64e6}, Bandwidth{10e9}}};

TEST(CopySpeed, WorkedNumber) {
  EXPECT_NEAR(copy_speed(kMeasured, Bytes{8e6}).value, 14.1e9, 0.05e9);
}

TEST(CopySpeed, BeyondWhatWasMeasuredItIsTheNearest) {
  EXPECT_EQ(copy_speed(kMeasured, Bytes{1}), Bandwidth{20e9});
  EXPECT_EQ(copy_speed(kMeasured, Bytes{1e6}), Bandwidth{20e9});
  EXPECT_EQ(copy_speed(kMeasured, Bytes{64e6}), Bandwidth{10e9});
  EXPECT_EQ(copy_speed(kMeasured, Bytes{1e12}), Bandwidth{10e9});
}

TEST(CopySpeed, NothingOfNothing) { EXPECT_EQ(copy_speed({}, Bytes{1e6}), Bandwidth{}); }

}  // namespace
}  // namespace oracle
