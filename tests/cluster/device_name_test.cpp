#include "oracle/cluster/device_name.h"

#include <gtest/gtest.h>

namespace oracle {
namespace device_name_test {

TEST(DeviceName, TheWordWithADigitCounts) {
  EXPECT_EQ(model_in("NVIDIA A100-SXM4-80GB"), "A100");
  EXPECT_EQ(model_in("NVIDIA GeForce RTX 3090"), "3090");
  EXPECT_EQ(model_in("a GPU"), "");
  EXPECT_TRUE(may_be_one_model("NVIDIA A100-SXM4-80GB", "A100 40GB"));
  EXPECT_FALSE(may_be_one_model("NVIDIA A100-SXM4-80GB", "NVIDIA H100"));
  EXPECT_TRUE(may_be_one_model("a GPU", "NVIDIA H100"));
}

}  // namespace device_name_test
}  // namespace oracle
