#include "microbench/kernels/gpu/device/runtime/allocator.h"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "oracle/base/error.h"

namespace oracle::gpu {
namespace gpu_allocator_test {

/// A device of few bytes that keeps account.
class FakeMemory final : public DeviceMemory {
 public:
  explicit FakeMemory(std::int64_t room) : left(room) {}
  ~FakeMemory() override {
    for (const auto& [data, bytes] : lent) std::free(data);
  }
  void* take(std::int64_t bytes) override {
    if (bytes > left) return nullptr;
    void* data = std::malloc(static_cast<std::size_t>(bytes));
    lent[data] = bytes;
    left -= bytes;
    ++taken;
    return data;
  }
  void give(void* data) noexcept override {
    left += lent.at(data);
    lent.erase(data);
    std::free(data);
  }

  std::map<void*, std::int64_t> lent;
  std::int64_t left;
  int taken = 0;
};

TEST(GpuAllocator, CountsWhatWasAskedFor) {
  FakeMemory memory(10000);
  Allocator allocator(memory);
  const Block kept = allocator.allocate(100);
  { const Block freed = allocator.allocate(60); }
  EXPECT_EQ(allocator.count().now, 100);
  EXPECT_EQ(allocator.count().peak, 160);
  allocator.reset_peak();
  EXPECT_EQ(allocator.count().peak, 100);
}

TEST(GpuAllocator, LendsAFreedBlockThatFits) {
  FakeMemory memory(100000);
  Allocator allocator(memory);
  void* first = nullptr;
  {
    const Block block = allocator.allocate(9000);
    first = block.data();
  }
  EXPECT_EQ(allocator.kept(), 9216);
  const Block again = allocator.allocate(8800);
  EXPECT_EQ(again.data(), first);
  EXPECT_EQ(memory.taken, 1);
  EXPECT_EQ(allocator.count().now, 8800);
  EXPECT_EQ(allocator.kept(), 0);
}

TEST(GpuAllocator, WastesNoBlockThatIsMuchLarger) {
  FakeMemory memory(100000);
  Allocator allocator(memory);
  { const Block block = allocator.allocate(9216); }
  const Block small = allocator.allocate(7000);
  EXPECT_EQ(memory.taken, 2);
  EXPECT_EQ(allocator.kept(), 9216);
}

TEST(GpuAllocator, GivesBackWhatIsKeptWhereTheDeviceHasNoMore) {
  FakeMemory memory(10240);
  Allocator allocator(memory);
  { const Block block = allocator.allocate(4096); }
  { const Block block = allocator.allocate(1024); }
  const Block large = allocator.allocate(9000);
  EXPECT_EQ(memory.lent.size(), 1U);
  EXPECT_EQ(allocator.kept(), 0);
  EXPECT_EQ(allocator.count().now, 9000);
}

TEST(GpuAllocator, SaysThatThereIsNoneLeft) {
  FakeMemory memory(10240);
  Allocator allocator(memory);
  const Block kept = allocator.allocate(512);
  try {
    allocator.allocate(20000);
    FAIL() << "20,000 bytes of 10,240";
  } catch (const EnvironmentError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no 20000 bytes left besides the 512 in use"));
  }
  EXPECT_EQ(allocator.count().now, 512);
}

TEST(GpuAllocator, ReturnsEverythingInTheEnd) {
  FakeMemory memory(10240);
  {
    Allocator allocator(memory);
    Block block = allocator.allocate(512);
    Block moved = std::move(block);
    block = std::move(moved);
    EXPECT_EQ(allocator.count().now, 512);
  }
  EXPECT_EQ(memory.left, 10240);
}

TEST(GpuAllocator, NothingTakesNothing) {
  FakeMemory memory(0);
  Allocator allocator(memory);
  EXPECT_EQ(allocator.allocate(0).data(), nullptr);
}

TEST(GpuAllocator, SetsAsideWhatARecordedStepHad) {
  FakeMemory memory(10000);
  Allocator allocator(memory);
  void* used = nullptr;
  { const Block before = allocator.allocate(1000); }
  { const Block before = allocator.allocate(2000); }
  const std::int64_t kept = allocator.kept();
  {
    allocator.begin_recording();
    { used = allocator.allocate(1000).data(); }
    const SetAside aside = allocator.end_recording();
    EXPECT_EQ(allocator.kept(), kept - 1024);
    const Block other = allocator.allocate(1000);
    EXPECT_NE(other.data(), used);
    allocator.give_back_kept();
    EXPECT_EQ(memory.lent.count(used), 1U);
  }
  const std::int64_t takes = allocator.count().takes;
  const Block first = allocator.allocate(1000), second = allocator.allocate(1000);
  EXPECT_EQ(allocator.count().takes, takes);
}

TEST(GpuAllocator, WhatWasFreedInARecordedStepIsItsOwnAsWell) {
  FakeMemory memory(10000);
  Allocator allocator(memory);
  Block held = allocator.allocate(1000);
  void* data = held.data();
  allocator.begin_recording();
  held = Block();
  const SetAside aside = allocator.end_recording();
  EXPECT_NE(allocator.allocate(1000).data(), data);
}

TEST(GpuAllocator, TakesNothingForARecordedStep) {
  FakeMemory memory(10000);
  Allocator allocator(memory);
  allocator.begin_recording();
  EXPECT_THROW(allocator.allocate(1000), Defect);
  allocator.abandon_recording();
  EXPECT_EQ(allocator.allocate(1000).bytes(), 1000);
  EXPECT_EQ(allocator.count().takes, 1);
}

}  // namespace gpu_allocator_test
}  // namespace oracle::gpu
