// What does a linear product in 8 bits take, against the closed form and against 16 bits?

#include <gtest/gtest.h>

#include "oracle/cost/compute/roofline.h"
#include "oracle/cost/price.h"
#include "oracle/graph/layer_case.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace narrow_products_test {

constexpr double kRows = 8192, kIn = 4096, kOut = 14336;

Layer linear() {
  Layer layer;
  layer.kind = find_kind("dense");
  layer.input[Axis::channel] = 4096;
  layer.output[Axis::channel] = 14336;
  layer.input[Axis::sequence] = layer.output[Axis::sequence] = 8192;
  layer.reduction = 4096;
  layer.weights = {{"weight", 4096 * 14336, 14336, 4096}};
  layer.work = {{{0, 1, 1, 1}, {0, 1, 1, 1}, {0, 1, 1, 1}}};
  layer.linear = true;
  return layer;
}

KernelDemand demand_in(const char* precision, Pass pass) {
  const Layer layer = linear();
  return demand(layer, whole(layer, 1), pass, training_of(precision));
}

TEST(NarrowProducts, ReadOperandsInFewBitsAndWriteInMany) {
  const auto traffic = [](const char* precision, Pass pass) {
    return demand_in(precision, pass).traffic.value;
  };
  EXPECT_EQ(traffic("fp8", Pass::forward), kRows * kIn + kIn * kOut + 2 * kRows * kOut);
  EXPECT_EQ(traffic("fp8", Pass::backward_data), 2 * kRows * kIn + kIn * kOut + kRows * kOut);
  EXPECT_EQ(traffic("fp8", Pass::backward_weights), kRows * kIn + 2 * kIn * kOut + kRows * kOut);
  EXPECT_EQ(traffic("fp4", Pass::forward), 0.5625 * (kRows * kIn + kIn * kOut) + 2 * kRows * kOut);
  EXPECT_EQ(traffic("bf16", Pass::forward), 2 * (kRows * kIn + kIn * kOut + kRows * kOut));
}

TEST(NarrowProducts, AreAlignedBy16Bytes) {
  Layer layer = linear();
  const auto aligned = [&](const char* precision) {
    return demand(layer, whole(layer, 1), Pass::forward, training_of(precision)).aligned;
  };
  EXPECT_TRUE(aligned("fp8"));
  layer.output[Axis::channel] = 14336 + 16;
  EXPECT_TRUE(aligned("fp8"));
  EXPECT_FALSE(aligned("fp4"));
  layer.output[Axis::channel] = 14336 + 8;
  EXPECT_TRUE(aligned("bf16"));
  EXPECT_FALSE(aligned("fp8"));
}

/// The same tiles at twice the peak; memory by its bytes.
TEST(NarrowProducts, TakeHalfTheArithmeticOf16Bits) {
  Cluster cluster = load_cluster("h200-node");
  cluster.device.sustained.fill(1);
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    const KernelDemand wide = demand_in("bf16", pass), narrow = demand_in("fp8", pass);
    const RooflineTerms of_wide = roofline_terms(wide, DataType::bf16, cluster);
    const RooflineTerms of_narrow = roofline_terms(narrow, DataType::fp8, cluster);
    EXPECT_NEAR(of_narrow.arithmetic / of_wide.arithmetic, 989.4 / 1978.9, 1e-9);
    EXPECT_DOUBLE_EQ(of_narrow.memory.value, narrow.traffic.value / (0.85 * 4.8e12));
    EXPECT_EQ(of_narrow.launch, of_wide.launch);
    EXPECT_GT(of_narrow.total(), of_wide.total() / 2);
    EXPECT_LT(of_narrow.total(), of_wide.total());
  }
}

/// All but linears is priced as in bf16, and found among kernels measured in it.
TEST(NarrowProducts, LeaveAllElseIn16Bits) {
  const Cluster cluster = load_cluster("h200-node");
  Layer layer = linear();
  layer.linear = false;
  const Piece piece = whole(layer, 1);
  const KernelDemand other = demand(layer, piece, Pass::forward, training_of("fp8"));
  EXPECT_EQ(other, demand(layer, piece, Pass::forward, training_of("bf16")));
  EXPECT_EQ(roofline_terms(other, DataType::fp8, cluster).total(),
            roofline_terms(other, DataType::bf16, cluster).total());
  EXPECT_EQ(key_of(layer, piece, Pass::forward, training_of("fp8")).type, DataType::bf16);
  EXPECT_EQ(key_of(linear(), piece, Pass::forward, training_of("fp8")).type, DataType::fp8);
}

/// Of 8192 x 4096 values 2 bytes are read and twice 1 written: a stream on 85 % of 4.8 TB/s.
TEST(NarrowProducts, AreConvertedToAtTheRateOfMemory) {
  const Cluster cluster = load_cluster("h200-node");
  const Layer layer = linear();
  const Work conversion{0, Pass::quantize, Bytes{4 * kRows * kIn}};
  const KernelDemand kernel = demand(layer, whole(layer, 1), conversion, training_of("fp8"));
  EXPECT_EQ(kernel.form, KernelForm::stream);
  const RooflineTerms terms = roofline_terms(kernel, DataType::fp8, cluster);
  EXPECT_DOUBLE_EQ(terms.total().value, 4 * kRows * kIn / (0.85 * 4.8e12) + 4e-6 * 2 / 3);
  EXPECT_EQ(terms.arithmetic.value, 0);
}

}  // namespace narrow_products_test
}  // namespace oracle
