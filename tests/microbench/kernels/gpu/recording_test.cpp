// A recorded step on the emulated device, which refuses what a capture on a real one would
// (tests/emulated_gpu/README.md).

#include <cmath>
#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "tests/emulated_gpu/backend.h"
#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace recording_test {

constexpr Extents kExtents{1, 1, 1, 1, 1000};
constexpr Box kAll{{0, 0, 0, 0, 0}, kExtents};

class RecordingTest : public testing::Test {
 protected:
  std::unique_ptr<Tensor> filled(float value) {
    auto tensor = backend_->tensor(kExtents);
    const std::vector<float> values(1000, value);
    tensor->write(kAll, values.data());
    return tensor;
  }
  static float value_of(const Tensor& tensor) {
    std::vector<float> values(1000);
    tensor.read(kAll, values.data());
    for (const float value : values) EXPECT_EQ(value, values.front());
    return values.front();
  }
  /// What record says of work that it cannot take.
  std::string error_of(const std::function<void()>& work) {
    try {
      backend_->record(work);
    } catch (const std::exception& error) {
      return error.what();
    }
    return "none";
  }

  std::unique_ptr<Backend> backend_ = emulated_gpu_backend();
};

TEST_F(RecordingTest, DoesNothingUntilItIsReplayed) {
  const auto sum = filled(1), term = filled(2);
  const auto recording = backend_->record([&] { backend_->add(*sum, *term); });
  EXPECT_EQ(value_of(*sum), 1);
  for (int i = 0; i < 3; ++i) recording->replay();
  EXPECT_EQ(value_of(*sum), 7);
}

TEST_F(RecordingTest, NobodyElseGetsTheMemoryItWorksIn) {
  const auto sum = filled(0), term = filled(1);
  { const auto block = backend_->tensor(kExtents); }
  const auto recording = backend_->record([&] {
    const auto scratch = backend_->tensor(kExtents);
    backend_->add(*scratch, *term);
    backend_->add(*sum, *scratch);
  });
  std::vector<std::unique_ptr<Tensor>> others;
  for (int i = 0; i < 4; ++i) others.push_back(filled(5));
  recording->replay();
  for (const auto& other : others) EXPECT_EQ(value_of(*other), 5);
  EXPECT_EQ(backend_->memory().now, 6 * 4000);
}

/// How many tensors the allocator lends of what it keeps.
int lent_of_kept(Backend& backend) {
  std::vector<std::unique_ptr<Tensor>> lent;
  const std::int64_t takes = backend.memory().takes;
  while (backend.memory().takes == takes) lent.push_back(backend.tensor(kExtents));
  return static_cast<int>(lent.size()) - 1;
}

TEST_F(RecordingTest, ItsMemoryGoesBackWithIt) {
  const auto sum = filled(0), term = filled(1);
  lent_of_kept(*backend_);
  const int before = lent_of_kept(*backend_);
  auto recording = backend_->record([&] {
    const auto scratch = backend_->tensor(kExtents);
    backend_->add(*scratch, *term);
  });
  EXPECT_EQ(lent_of_kept(*backend_), before);
  recording.reset();
  EXPECT_EQ(lent_of_kept(*backend_), before + 2);
}

TEST_F(RecordingTest, WhatWaitsForTheDeviceBreaksIt) {
  const auto sum = filled(1);
  EXPECT_THAT(
      error_of([&] { backend_->synchronize(); }),
      testing::HasSubstr("cudaStreamSynchronize failed: operation not permitted when stream "
                         "is capturing"));
  EXPECT_THAT(error_of([&] { value_of(*sum); }), testing::HasSubstr("not permitted"));
  const std::vector<float> pageable(1000);
  EXPECT_THAT(error_of([&] { sum->write(kAll, pageable.data()); }),
              testing::HasSubstr("not permitted"));
  // Nothing of it is left.
  backend_->add(*sum, *sum);
  EXPECT_EQ(value_of(*sum), 2);
  EXPECT_EQ(error_of([&] { backend_->add(*sum, *sum); }), "none");
}

TEST_F(RecordingTest, ACopyFromPinnedMemoryReadsItWhenItIsReplayed) {
  const auto sum = filled(0);
  { const auto dense = backend_->tensor(kExtents); }
  const auto given = backend_->host_buffer(4000);
  auto* values = static_cast<float*>(given->data());
  const auto recording = backend_->record([&] { sum->write(kAll, values); });
  for (const float value : {3.0F, 4.0F}) {
    std::fill_n(values, 1000, value);
    recording->replay();
    EXPECT_EQ(value_of(*sum), value);
  }
}

TEST_F(RecordingTest, TakesNoMemoryOfTheDevice) {
  EXPECT_THAT(error_of([&] {
                backend_->tensor({1, 1, 1, 1000, 100});
              }),
              testing::HasSubstr("does with the memory that the steps before it left"));
  void* data = nullptr;
  EXPECT_THAT(error_of([&] { EXPECT_EQ(cudaMalloc(&data, 8), cudaErrorStreamCaptureUnsupported); }),
              testing::HasSubstr("cudaStreamEndCapture failed"));
  EXPECT_THAT(error_of([&] {
                EXPECT_EQ(cudaHostAlloc(&data, 8, cudaHostAllocDefault),
                          cudaErrorStreamCaptureUnsupported);
              }),
              testing::HasSubstr("cudaStreamEndCapture failed"));
}

TEST_F(RecordingTest, LeavesNoMemoryBehind) {
  { const auto block = filled(0); }
  std::unique_ptr<Tensor> left;
  EXPECT_THAT(error_of([&] { left = backend_->tensor(kExtents); }),
              testing::HasSubstr("leaves no memory behind"));
}

TEST_F(RecordingTest, ReadsTheScalarsOfTheStepInWhichItIsReplayed) {
  const OneLayer one("dropout", {1, 1, 1, 1, 1000});
  const LocalLayer layer = one.whole(1);
  const auto kernel = backend_->kernel(layer);
  const auto saved = kernel->saved();
  const auto x = filled(1), y = filled(0);
  Tensor* const inputs[] = {x.get()};
  Call call;
  call.inputs = inputs;
  call.output = y.get();
  call.saved = saved.get();
  const auto drawn = [&] {
    std::vector<float> values(1000);
    y->read(kAll, values.data());
    return values;
  };
  std::vector<std::vector<float>> called;
  for (call.seed = 1; call.seed <= 2; ++call.seed) {
    kernel->forward(call);
    called.push_back(drawn());
  }
  call.seed = 1;
  backend_->begin_step({1, 1, {}});
  const auto recording = backend_->record([&] { kernel->forward(call); });
  for (const std::uint64_t seed : {std::uint64_t{1}, std::uint64_t{2}}) {
    backend_->begin_step({seed, 1, {}});
    recording->replay();
    EXPECT_EQ(drawn(), called[seed - 1]);
  }
  EXPECT_NE(called[0], called[1]);
  EXPECT_THAT(error_of([&] { kernel->forward(call); }),
              testing::HasSubstr("has the scalars that were written before it"));
}

/// The device's memory, taken past the allocator: freed, and taken again by others.
TEST_F(RecordingTest, FreedMemoryIsFoundOut) {
  void* data = nullptr;
  ASSERT_EQ(cudaMalloc(&data, 4096), cudaSuccess);
  const auto recording = backend_->record(
      [&] { static_cast<void>(cudaMemsetAsync(data, 0, 4096, cudaStreamPerThread)); });
  EXPECT_NO_THROW(recording->replay());
  ASSERT_EQ(cudaFree(data), cudaSuccess);
  EXPECT_THROW(recording->replay(), EnvironmentError);
  void* again = nullptr;
  ASSERT_EQ(cudaMalloc(&again, 4096), cudaSuccess);
  EXPECT_EQ(again, data);
  EXPECT_THROW(recording->replay(), EnvironmentError);
  cudaFree(again);
}

/// Of a kernel of ours, whose arguments are looked through.
TEST_F(RecordingTest, FreedArgumentsOfAKernelAreFoundOut) {
  auto sum = filled(1);
  const auto recording = backend_->record([&] { backend_->add(*sum, *sum); });
  EXPECT_NO_THROW(recording->replay());
  sum.reset();
  // The allocator gives all that it keeps to the device when there is no room.
  EXPECT_THROW(backend_->tensor({1, 1, 1, 1 << 14, 1 << 14}), EnvironmentError);
  EXPECT_THROW(recording->replay(), EnvironmentError);
}

}  // namespace recording_test
}  // namespace oracle
