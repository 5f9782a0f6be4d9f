#include "microbench/kernels/cpu/cpu_backend.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"

namespace oracle {
namespace cpu_backend_test {

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

/// Rows into the middle of a taller map, beside what was there.
void expect_rows_copied(std::int64_t channels, std::int64_t width) {
  const auto backend = make_cpu_backend(1);
  const Extents low{2, channels, 1, 3, width}, tall{2, channels, 1, 5, width};
  const auto from = backend->tensor_between_layers(low), to = backend->tensor_between_layers(tall);
  std::vector<float> values(static_cast<std::size_t>(low.elements()));
  std::iota(values.begin(), values.end(), 1.0F);
  from->write({{0, 0, 0, 0, 0}, low}, values.data());
  const std::vector<float> minus(static_cast<std::size_t>(tall.elements()), -1);
  to->write({{0, 0, 0, 0, 0}, tall}, minus.data());
  const Extents two{2, channels, 1, 2, width};
  ASSERT_TRUE(to->copy(*from, {{0, 0, 0, 1, 0}, two}, {0, 0, 0, 2, 0}));
  std::vector<float> taken(static_cast<std::size_t>(two.elements())), wanted(taken.size());
  to->read({{0, 0, 0, 2, 0}, two}, taken.data());
  from->read({{0, 0, 0, 1, 0}, two}, wanted.data());
  EXPECT_EQ(taken, wanted);
  std::vector<float> all(minus.size());
  to->read({{0, 0, 0, 0, 0}, tall}, all.data());
  EXPECT_EQ(std::count(all.begin(), all.end(), -1.0F), tall.elements() - two.elements());
}

TEST(CpuBackend, CopiesRowsOfLikeMapsAtOnce) {
  expect_rows_copied(64, 4);
  expect_rows_copied(20, 4);
  expect_rows_copied(3, 7);
}

TEST(CpuBackend, PartsOfBlocksAndUnlikeMapsAreNotCopied) {
  const auto backend = make_cpu_backend(1);
  const auto wide = backend->tensor({1, 64, 1, 2, 2}), plain = backend->tensor({1, 20, 1, 2, 2});
  const auto other = backend->tensor({1, 64, 1, 2, 2});
  EXPECT_FALSE(other->copy(*wide, {{0, 5, 0, 0, 0}, {1, 16, 1, 2, 2}}, {0, 0, 0, 0, 0}));
  EXPECT_FALSE(other->copy(*wide, {{0, 0, 0, 0, 0}, {1, 5, 1, 2, 2}}, {0, 0, 0, 0, 0}));
  EXPECT_FALSE(plain->copy(*wide, {{0, 0, 0, 0, 0}, {1, 16, 1, 2, 2}}, {0, 0, 0, 0, 0}));
  EXPECT_TRUE(other->copy(*wide, {{0, 16, 0, 0, 0}, {1, 16, 1, 2, 2}}, {0, 32, 0, 0, 0}));
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

}  // namespace cpu_backend_test
}  // namespace oracle
