#include "microbench/kernels/cpu/cpu_backend.h"

#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_tensor.h"

namespace oracle {
namespace {

std::int64_t block_of(const std::unique_ptr<Tensor>& tensor) {
  return cpu(tensor.get()).layout().block;
}

TEST(CpuBackend, MapsBetweenLayersFillUpTheirBlocks) {
  const auto backend = make_cpu_backend(1);
  const std::int64_t block = block_of(backend->tensor({2, 64, 1, 4, 4}));
  ASSERT_GT(block, 1);
  EXPECT_EQ(block_of(backend->tensor({2, 20, 1, 4, 4})), 1) << "nobody knows who writes it";
  EXPECT_EQ(block_of(backend->tensor_between_layers({2, 20, 1, 4, 4})), block);
  EXPECT_EQ(block_of(backend->tensor_between_layers({2, 64, 1, 4, 4})), block);
}

TEST(CpuBackend, ImagesAndVectorsAreInPlainOrder) {
  const auto backend = make_cpu_backend(1);
  EXPECT_EQ(block_of(backend->tensor_between_layers({2, 3, 1, 4, 4})), 1);
  EXPECT_EQ(block_of(backend->tensor_between_layers({2, 20, 1, 1, 1})), 1);
}

TEST(CpuBackend, WhatEvictsFillsTheCachesOnce) {
  const auto backend = make_cpu_backend(1);
  EXPECT_GE(backend->cache_bytes(), std::int64_t{4} << 20);
  EXPECT_LE(backend->cache_bytes(), std::int64_t{1} << 30);
}

}  // namespace
}  // namespace oracle
