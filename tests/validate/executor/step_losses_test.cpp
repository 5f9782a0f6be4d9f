#include "validate/executor/step_losses.h"

#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/validate/plain/backend.h"

namespace oracle {
namespace step_losses_test {

class StepLossesTest : public testing::Test {
 protected:
  void keep(const std::vector<float>& values) {
    const Extents extents{static_cast<std::int64_t>(values.size()), 1, 1, 1, 1};
    const auto tensor = backend_->tensor(extents);
    tensor->write({{0, 0, 0, 0, 0}, extents}, values.data());
    losses_.keep(*tensor);
  }

  std::unique_ptr<Backend> backend_ = plain_backend();
  StepLosses losses_{*backend_};
};

TEST_F(StepLossesTest, AreTheMeanOverAllMicroBatches) {
  losses_.begin_step();
  keep({1, 2});
  keep({9});
  EXPECT_EQ(losses_.mean(4), 3);
}

TEST_F(StepLossesTest, OfAStepAreItsOwn) {
  losses_.begin_step();
  keep({1, 2});
  keep({9});
  losses_.begin_step();
  EXPECT_EQ(losses_.mean(4), 0);
  keep({4, 4});
  EXPECT_EQ(losses_.mean(4), 2);
}

TEST_F(StepLossesTest, AMicroBatchOfAnotherSizeIsADefect) {
  losses_.begin_step();
  keep({1, 2});
  losses_.begin_step();
  EXPECT_THROW(keep({1}), Defect);
}

}  // namespace step_losses_test
}  // namespace oracle
