#include "oracle/calibrate/traced_samples.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/calibrate/kernel_table.h"
#include "oracle/calibrate/traced_call.h"
#include "oracle/io/traces/kineto_reader.h"

namespace oracle {
namespace traced_samples_test {

constexpr const char* kFolder = ORACLE_SOURCE_DIR "/tests/data/traces/";

TracedSamples of_torch_2() {
  MeasurementHints hints;
  hints.level = "node";
  return traced_samples(load_kineto(std::string(kFolder) + "torch-2.3.json"), "t.json", hints);
}

/// The median in milliseconds; 0 where there is no such sample.
double time_of(const TracedSamples& found, const char* layer, Pass pass, DataType type) {
  const std::string wanted = to_text(parse_layer_case(layer));
  for (const KernelSample& sample : found.samples.kernels) {
    if (to_text(sample.layer) != wanted || sample.pass != pass || sample.type != type) continue;
    EXPECT_EQ(sample.time.count, 3) << wanted;
    return sample.time.median.value * 1e3;
  }
  return 0;
}

TEST(TracedSamples, EachPassOfEachLayer) {
  const TracedSamples found = of_torch_2();
  constexpr const char* kDense = "dense 16:64 features=10";
  constexpr const char* kConvolution =
      "convolution 16:3x32x32 features=64 kernel=3,3 stride=1,1 pad=1,1 dilation=1,1 groups=1";
  constexpr const char* kNorm = "batch_norm 16:64x32x32";
  using enum Pass;
  EXPECT_NEAR(time_of(found, kDense, forward, DataType::fp32), 1, 1e-9);
  EXPECT_NEAR(time_of(found, kDense, backward_data, DataType::fp32), 1, 1e-9);
  EXPECT_NEAR(time_of(found, kDense, backward_weights, DataType::fp32), 0.8, 1e-9);
  EXPECT_NEAR(time_of(found, kConvolution, forward, DataType::fp32), 2, 1e-9);
  EXPECT_NEAR(time_of(found, kConvolution, backward_data, DataType::fp32), 1, 1e-9);
  EXPECT_NEAR(time_of(found, kConvolution, backward_weights, DataType::fp32), 1.5, 1e-9);
  EXPECT_NEAR(time_of(found, kNorm, forward, DataType::fp32), 0.5, 1e-9);
  EXPECT_NEAR(time_of(found, kNorm, forward, DataType::tf32), 0.5, 1e-9);
  EXPECT_EQ(found.samples.kernels.size(), 8U);
  EXPECT_EQ(found.left_out.at("aten::clamp_min_ is no layer of its own"), 3U);
  EXPECT_EQ(found.left_out.at("aten::_foreach_add_ is no layer of its own"), 3U);
  EXPECT_EQ(found.left_out.size(), 2U);
}

TEST(TracedSamples, TheyAreTheKernelsThatTheEnginePrices) {
  const TracedSamples found = of_torch_2();
  EXPECT_EQ(kernel_table(found.samples.kernels).size(), 8U);
  EXPECT_EQ(context_value(found.samples, "device"), "Tesla V100-SXM2-16GB");
}

TEST(TracedSamples, CollectivesAreSamplesOfLinks) {
  const TracedSamples found = of_torch_2();
  ASSERT_EQ(found.samples.links.size(), 1U);
  const LinkSample& link = found.samples.links[0];
  EXPECT_EQ(link.operation, LinkOperation::all_reduce);
  EXPECT_EQ(link.ranks, 4);
  EXPECT_EQ(link.bytes, Bytes{1e7});
  EXPECT_NEAR(link.median.value, 0.002, 1e-12);
  EXPECT_EQ(link.count, 3);
  EXPECT_EQ(link.level, "node");
}

TEST(TracedSamples, OfEqualCollectivesTheFastestCounts) {
  Trace trace = load_kineto(std::string(kFolder) + "torch-2.3.json");
  bool first = true;
  for (TracedOperation& one : trace.operations) {
    if (one.collective == kNothing) continue;
    if (!first) one.time.end += 5'000'000;
    first = false;
  }
  const TracedSamples found = traced_samples(trace, "t.json");
  EXPECT_NEAR(found.samples.links[0].median.value, 0.002, 1e-12);
}

TEST(TracedSamples, BytesAreThoseOfTheWholeBuffer) {
  Trace trace = load_kineto(std::string(kFolder) + "torch-2.3.json");
  trace.collectives[0] = {"_allgather_base", "BFloat16", 1'000'000, 4'000'000, 4};
  EXPECT_EQ(traced_samples(trace, "t").samples.links[0].bytes, Bytes{8e6});
  trace.collectives[0] = {"_reduce_scatter_base", "BFloat16", 4'000'000, 1'000'000, 4};
  EXPECT_EQ(traced_samples(trace, "t").samples.links[0].bytes, Bytes{8e6});
  trace.collectives[0] = {"broadcast", "Float", 1, 1, 4};
  EXPECT_TRUE(traced_samples(trace, "t")
                  .left_out.contains("broadcast is not an operation that links are fitted to"));
  trace.collectives[0] = {"allreduce", "Tensor", 1000, 1000, 4};
  EXPECT_TRUE(traced_samples(trace, "t").samples.links.empty());
}

TEST(TracedSamples, WhatDoesNotSayItsShapesIsCounted) {
  const TracedSamples found =
      traced_samples(load_kineto(std::string(kFolder) + "torch-1.8.json"), "t.json");
  ASSERT_EQ(found.samples.kernels.size(), 1U);
  EXPECT_EQ(to_text(found.samples.kernels[0].layer),
            to_text(parse_layer_case("dense 8:16 features=4")));
  EXPECT_EQ(found.left_out.at("operations without their shapes: record_shapes=True"), 3U);
}

TEST(TracedSamples, ATensorCoreOfTf32IsNamedByItsKernel) {
  Trace trace = load_kineto(std::string(kFolder) + "torch-2.3.json");
  for (std::string& name : trace.names) {
    if (name == "volta_sgemm_32x32_sliced1x4_tn") name = "cutlass_80_tensorop_s1688gemm_128x128";
  }
  EXPECT_NEAR(
      time_of(traced_samples(trace, "t"), "dense 16:64 features=10", Pass::forward, DataType::tf32),
      1, 1e-9);
}

TEST(TracedSamples, OneProductInBackwardIsUnclear) {
  Trace trace = load_kineto(std::string(kFolder) + "torch-2.3.json");
  for (TracedCall& call : trace.calls) {
    if (call.dims == "[[10,16],[16,64]]") call.dims = "[[10,17],[17,64]]";
  }
  const TracedSamples found = traced_samples(trace, "t");
  EXPECT_EQ(found.left_out.at("products in backward whose pass is not clear"), 6U);
  EXPECT_EQ(time_of(found, "dense 16:64 features=10", Pass::backward_data, DataType::fp32), 0);
}

TEST(TracedCall, TextsOfACall) {
  EXPECT_EQ(dims_of("[[8,64],[64,32],[]]"), (std::vector<Dims>{{8, 64}, {64, 32}, {}}));
  for (const char* bad :
       {"", "[[8,64]", "[[[8]]]", "[[8,x]]", "[[-1]]", "[8]", "[[99999999999999999999]]"}) {
    EXPECT_FALSE(dims_of(bad).has_value()) << bad;
  }
  EXPECT_EQ(texts_of(R"(["float","","[1,1]"])"), (std::vector<std::string>{"float", "", "[1,1]"}));
  EXPECT_EQ(numbers_of("[2,1]"), (Dims{2, 1}));
  EXPECT_FALSE(numbers_of("2").has_value());
}

TEST(TracedCall, StridesOfAConvolution) {
  TracedCall call{"aten::convolution_backward", "[[8,64,16,16],[8,32,32,32],[64,16,5,5]]", "[]",
                  R"(["","","","[64]","[2,2]","[2,2]","[1,1]","False","[0,0]","2","[True]"])"};
  EXPECT_EQ(to_text(*convolution_case(call, true)),
            to_text(parse_layer_case("convolution 8:32x32x32 features=64 kernel=5,5 stride=2,2 "
                                     "pad=2,2 dilation=1,1 groups=2")));
  call.values = "";
  EXPECT_FALSE(convolution_case(call, true).has_value());
}

}  // namespace traced_samples_test
}  // namespace oracle
