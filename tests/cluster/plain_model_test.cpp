#include "oracle/cluster/plain_model.h"

#include <gtest/gtest.h>

namespace oracle {
namespace plain_model_test {

const PlainModel kModel{Seconds{2e-6}, 0.5e-9, 1e-9, {{1000, 3e-9}, {4000, 10e-9}}};

TEST(PlainModel, WorkedNumber) {
  EXPECT_NEAR(kModel.of({0, 1500}).value, 2e-6 + 1.5e-6 + 1.5e-6, 1e-15);
}

TEST(PlainModel, OperationsAndElementsAddUp) {
  EXPECT_NEAR(kModel.of({100, 1000}).value, 2e-6 + 0.05e-6 + 1e-6, 1e-15);
}

TEST(PlainModel, EachFullCacheMakesTheElementsBeyondItSlower) {
  EXPECT_NEAR(kModel.of({0, 5000}).value - kModel.of({0, 4000}).value, 1000 * 14e-9, 1e-15);
}

TEST(PlainModel, OfAFasterDeviceAllIsShorter) {
  const KernelWork work{700, 6000};
  EXPECT_NEAR((kModel / 4).of(work) * 4 / kModel.of(work), 1, 1e-12);
}

}  // namespace plain_model_test
}  // namespace oracle
