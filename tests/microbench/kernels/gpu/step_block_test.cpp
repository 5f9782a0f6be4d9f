#include "microbench/kernels/gpu/device/runtime/step_block.h"

#include <cstdlib>
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include "microbench/kernels/gpu/device/runtime/parallel.h"

namespace oracle::gpu {
namespace step_block_test {

class EmulatedMemory final : public DeviceMemory {
 public:
  void* take(std::int64_t bytes) override {
    void* data = nullptr;
    check(cudaMalloc(&data, static_cast<std::size_t>(bytes)), "cudaMalloc");
    return data;
  }
  void give(void* data) noexcept override { static_cast<void>(cudaFree(data)); }
};

class StepBlockTest : public testing::Test {
 protected:
  template <class T>
  static T read(const T* data) {
    const DeviceAccess access;
    return *data;
  }

  EmulatedMemory memory_;
  StepBlock block_{cudaStreamPerThread, memory_};
};

TEST_F(StepBlockTest, HoldsTheScalarsOfTheStep) {
  block_.write(StepScalars{7, 0.25, {.rate = 0.5, .momentum = 0.75, .gradient_scale = 4}});
  EXPECT_EQ(read(block_.seed(7)), 7U);
  EXPECT_EQ(read(block_.gradient_scale(0.25)), 0.25);
  const Update update = read(block_.update({.rate = 0.5, .momentum = 0.75, .gradient_scale = 4}));
  EXPECT_EQ(update.rate, 0.5F);
  EXPECT_EQ(update.decay, 0.75F);
  EXPECT_EQ(update.share, 0.25F);
}

TEST_F(StepBlockTest, StaysWhereItIs) {
  const std::uint64_t* seed = block_.seed(1);
  const double* scale = block_.gradient_scale(1);
  const Update* update = block_.update({.step = 1});
  block_.write(StepScalars{2, 3, {.step = 2}});
  EXPECT_EQ(block_.seed(4), seed);
  EXPECT_EQ(block_.gradient_scale(5), scale);
  EXPECT_EQ(block_.update({.step = 6}), update);
}

/// Adam's corrections are those of the step.
TEST_F(StepBlockTest, FollowsTheStepsNumber) {
  OptimizerStep step{.rate = 1, .momentum = 0.5, .second_moment = 0.75};
  EXPECT_EQ(read(block_.update(step)).adam.rate, 2);
  EXPECT_EQ(read(block_.update(step)).adam.second_scale, 4);
  step.step = 2;
  EXPECT_FLOAT_EQ(read(block_.update(step)).adam.rate, 4.0F / 3);
}

/// Else every call of a step would be one launch more.
TEST_F(StepBlockTest, WritesNothingTwice) {
  auto* seed = const_cast<std::uint64_t*>(block_.seed(1));
  {
    const DeviceAccess access;
    *seed = 99;
  }
  block_.seed(1);
  block_.gradient_scale(1);
  EXPECT_EQ(read(seed), 99U);
  block_.seed(2);
  EXPECT_EQ(read(seed), 2U);
}

}  // namespace step_block_test
}  // namespace oracle::gpu
