#include "microbench/kernels/cpu/cpu_backend.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

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

/// Parts of it come one by one, from as many ranks, into memory that held something else.
TEST(CpuBackend, WhatFillsUpABlockIsZeroWhicheverPartsAreWritten) {
  const auto backend = make_cpu_backend(1);
  const Extents extents{2, 20, 1, 8, 8};
  const std::vector<float> values(static_cast<std::size_t>(extents.elements()), 1);
  const std::vector<float> nan(static_cast<std::size_t>(2 * extents.elements()), NAN);
  const Extents wide{2, 40, 1, 8, 8};
  backend->tensor(wide)->write({{0, 0, 0, 0, 0}, wide}, nan.data());
  const auto tensor = backend->tensor_between_layers(extents);
  for (const std::int64_t channel : {0, 10}) {
    tensor->unpack({{0, channel, 0, 0, 0}, {2, 10, 1, 8, 8}}, values.data());
  }
  const CpuTensor& made = cpu(tensor.get());
  double sum = 0;
  for (std::int64_t i = 0; i < made.layout().stored(); ++i) sum += double{made.data()[i]};
  EXPECT_EQ(sum, static_cast<double>(extents.elements()));
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
