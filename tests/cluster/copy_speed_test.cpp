#include "oracle/cluster/copy_speed.h"

#include <gtest/gtest.h>
#include <vector>

namespace oracle {
namespace copy_speed_test {

const std::vector<CopySpeed> kMeasured = {{Bytes{1e6}, Bandwidth{20e9}, Bandwidth{9e9}},
                                          {Bytes{64e6}, Bandwidth{10e9}, Bandwidth{4e9}}};

TEST(CopySpeed, WorkedNumber) {
  const CopySpeed between = copy_speed(kMeasured, Bytes{8e6});
  EXPECT_NEAR(between.pack.value, 14.1e9, 0.05e9);
  EXPECT_NEAR(between.unpack.value, 6e9, 1) << "halfway between 4 and 9 in the logarithms";
}

TEST(CopySpeed, BeyondWhatWasMeasuredItIsTheNearest) {
  for (const double bytes : {1.0, 1e6}) {
    EXPECT_EQ(copy_speed(kMeasured, Bytes{bytes}),
              (CopySpeed{Bytes{bytes}, Bandwidth{20e9}, Bandwidth{9e9}}));
  }
  for (const double bytes : {64e6, 1e12}) {
    EXPECT_EQ(copy_speed(kMeasured, Bytes{bytes}),
              (CopySpeed{Bytes{bytes}, Bandwidth{10e9}, Bandwidth{4e9}}));
  }
}

TEST(CopySpeed, NothingOfNothing) { EXPECT_EQ(copy_speed({}, Bytes{1e6}), CopySpeed{}); }

}  // namespace copy_speed_test
}  // namespace oracle
