#include "oracle/cluster/kernel_key.h"

#include <cmath>
#include <gtest/gtest.h>

#include "oracle/graph/layer.h"

namespace oracle {
namespace kernel_key_test {

KernelKey convolution(std::int64_t in, std::int64_t out, std::int64_t groups = 1) {
  KernelKey key;
  key.kind = "convolution";
  key.samples = 8;
  key.input = {in, 1, 56, 56};
  key.output = {out, 1, 56, 56};
  key.kernel = {1, 3, 3};
  key.groups = groups;
  key.contraction = true;
  return key;
}

TEST(KernelKey, WorkedNumber) {
  const KernelWork work = work_of(convolution(64, 64));
  EXPECT_DOUBLE_EQ(work.operations, 2.0 * 8 * 64 * 3136 * 576);
  EXPECT_NEAR(work.operations, 1.85e9, 0.005e9);
  EXPECT_DOUBLE_EQ(work.elements, 2.0 * 8 * 64 * 3136 + 64 * 576);
  EXPECT_NEAR(work.elements, 3.25e6, 0.005e6);
}

TEST(KernelKey, GroupsDivideTheReduction) {
  EXPECT_DOUBLE_EQ(work_of(convolution(64, 64, 64)).operations, 2.0 * 8 * 64 * 3136 * 9);
}

TEST(KernelKey, WhatStreamsHasAnOperationForEachElementOfItsWindow) {
  KernelKey pool = convolution(16, 16);
  pool.contraction = false;
  EXPECT_DOUBLE_EQ(work_of(pool).operations, 8.0 * 16 * 3136 * 9);
  pool.kernel = {1, 1, 1};
  EXPECT_DOUBLE_EQ(work_of(pool).operations, 8.0 * 16 * 3136);
  pool.inputs = 2;
  EXPECT_DOUBLE_EQ(work_of(pool).elements, 3.0 * 8 * 16 * 3136);
}

/// 4 heads of 16 over 128 tokens, of which a query reads 65 in the mean.
KernelKey attention() {
  KernelKey key;
  key.kind = "attention";
  key.variant = "causal";
  key.samples = 8;
  key.inputs = 3;
  key.input = key.output = {64, 1, 1, 128};
  key.kernel = {1, 1, 65};
  key.groups = 4;
  key.others = std::int64_t{2} * 64 * 128;
  return key;
}

TEST(KernelKey, WorkedNumberOfAttention) {
  const KernelWork work = work_of(attention());
  EXPECT_DOUBLE_EQ(work.operations, 65536.0 * 65);
  EXPECT_NEAR(work.operations, 4.26e6, 0.005e6);
  EXPECT_DOUBLE_EQ(work.elements, 262144);
  EXPECT_DOUBLE_EQ(features_of(attention())[1], 4);  // features of a head
  EXPECT_DOUBLE_EQ(features_of(attention())[5], std::log2(65.0));
}

TEST(KernelKey, ATableIsReadWholeByItsGradientAlone) {
  KernelKey table;
  table.kind = "embedding";
  table.samples = 2;
  table.input = {1, 1, 1, 16};
  table.output = {64, 1, 1, 16};
  table.entries = 1000;
  EXPECT_DOUBLE_EQ(work_of(table).elements, 2.0 * 16 * 65);
  table.pass = static_cast<std::uint8_t>(Pass::backward_weights);
  EXPECT_DOUBLE_EQ(work_of(table).elements, 2.0 * 16 * 65 + 64000);
}

TEST(KernelKey, ExpertsHaveAMatrixEach) {
  KernelKey dense = convolution(64, 64);
  dense.kernel = {1, 1, 1};
  const double one = work_of(dense).elements;
  dense.entries = 8;
  EXPECT_DOUBLE_EQ(work_of(dense).elements, one + 7 * 64 * 64);
}

TEST(KernelKey, WhatCompressesTakesAndMakesWordsInWholeBlocks) {
  const KernelKey key = compression_key("compress", "topk", DataType::fp32, 1, 1000, 20);
  EXPECT_EQ(family_of(key), "compress topk");
  EXPECT_EQ(key.input[0], 1008);
  EXPECT_EQ(key.output[0], 32);
  EXPECT_EQ(work_of(key).elements, 1008 + 32);
  EXPECT_EQ(work_of(compression_key("restore", "topk", DataType::fp32, 4, 16, 1024)).elements,
            4 * 16 + 1024);
}

TEST(KernelKey, FeaturesAreLogarithmsOfTheShape) {
  const KernelFeatures at = features_of(convolution(64, 128));
  EXPECT_DOUBLE_EQ(at[0], 3);
  EXPECT_DOUBLE_EQ(at[1], 6);
  EXPECT_DOUBLE_EQ(at[2], 7);
  EXPECT_DOUBLE_EQ(at[3], 0);
  EXPECT_DOUBLE_EQ(at[4], std::log2(3136.0));
  EXPECT_DOUBLE_EQ(at[5], std::log2(9.0));
}

TEST(KernelKey, FeaturesTellWholeBlocksFromBrokenOnes) {
  EXPECT_EQ(features_of(convolution(64, 32))[8], 0);
  EXPECT_EQ(features_of(convolution(24, 32))[8], 1);
  EXPECT_EQ(features_of(convolution(20, 32))[8], 2);
  EXPECT_EQ(features_of(convolution(3, 32))[8], 3);
  // A depthwise kernel takes channels side by side; a grouped one those of a group.
  EXPECT_EQ(features_of(convolution(64, 64, 64))[8], 0);
  EXPECT_EQ(features_of(convolution(128, 128, 32))[9], 2);
}

TEST(KernelKey, FamiliesKeepApartWhatRunsOtherCode) {
  EXPECT_EQ(family_of(convolution(64, 64)), "convolution");
  EXPECT_EQ(family_of(convolution(64, 64, 64)), "convolution depthwise");
  EXPECT_EQ(family_of(convolution(64, 64, 32)), "convolution grouped");
  KernelKey pool;
  pool.kind = "pool";
  pool.variant = "max";
  EXPECT_EQ(family_of(pool), "pool max");
  KernelKey one_head = attention();
  one_head.groups = 1;
  EXPECT_EQ(family_of(attention()), "attention causal");
  EXPECT_EQ(family_of(one_head), "attention causal");
}

}  // namespace kernel_key_test
}  // namespace oracle
