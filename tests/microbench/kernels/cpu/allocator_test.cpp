#include "microbench/kernels/cpu/allocator.h"

#include <cstdint>
#include <gtest/gtest.h>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace cpu_allocator_test {

TEST(Allocator, CountsWhatWasAskedFor) {
  Allocator allocator;
  const MemoryBlock kept = allocator.allocate(100);
  { const MemoryBlock freed = allocator.allocate(60); }
  EXPECT_EQ(allocator.count().now, 100);
  EXPECT_EQ(allocator.count().peak, 160);
  allocator.reset_peak();
  EXPECT_EQ(allocator.count().peak, 100);
}

TEST(Allocator, AlignsToACacheLine) {
  Allocator allocator;
  for (const std::int64_t bytes : {1, 65, 4097, 5 << 20}) {
    const MemoryBlock block = allocator.allocate(bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.data()) % 64, 0U);
  }
}

TEST(Allocator, GivesAFreedBlockToTheNextOfItsSize) {
  Allocator allocator;
  const MemoryBlock other = allocator.allocate(64);
  MemoryBlock block = allocator.allocate(4096);
  const void* data = block.data();
  block = MemoryBlock();
  block = allocator.allocate(4096);
  EXPECT_EQ(block.data(), data);
}

TEST(Allocator, MovedBlocksAreFreedOnce) {
  Allocator allocator;
  MemoryBlock block = allocator.allocate(64);
  MemoryBlock moved = std::move(block);
  EXPECT_EQ(allocator.count().now, 64);
  block = std::move(moved);
  EXPECT_EQ(allocator.count().now, 64);
  block = MemoryBlock();
  EXPECT_EQ(allocator.count().now, 0);
}

TEST(Allocator, NothingTakesNothing) {
  Allocator allocator;
  EXPECT_EQ(allocator.allocate(0).data(), nullptr);
  EXPECT_EQ(allocator.count().peak, 0);
}

TEST(Allocator, SaysThatThereIsNoneLeft) {
  Allocator allocator;
  EXPECT_THROW(allocator.allocate(std::int64_t{1} << 60), EnvironmentError);
  EXPECT_EQ(allocator.count().now, 0);
}

}  // namespace cpu_allocator_test
}  // namespace oracle
