#include "oracle/cost/compute/kernel.h"

#include <gtest/gtest.h>

#include "oracle/graph/layer_case.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace kernel_test {

const Training kFp32 = training_of("fp32");

TEST(KernelDemand, WorkedNumber) {
  const Layer layer = convolution(64, 64, 56, 56, 3);
  const KernelDemand d = demand(layer, whole(layer, 32), Pass::forward, kFp32);
  EXPECT_EQ(d.form, KernelForm::convolution);
  EXPECT_TRUE(d.aligned);
  EXPECT_EQ(d.map, (std::array<std::int64_t, 2>{56, 56}));
  EXPECT_EQ(d.window, 9);
  EXPECT_EQ(d.positions, 32 * 3136);
  EXPECT_EQ(d.data.value, 4.0 * 32 * 64 * 3136);
  EXPECT_EQ(d.m, 32 * 3136);
  EXPECT_EQ(d.n, 64);
  EXPECT_EQ(d.k, 576);
  EXPECT_EQ(d.groups, 1);
  EXPECT_EQ(d.kernels, 1);
  EXPECT_DOUBLE_EQ(d.flops.value, 2.0 * 100352 * 64 * 576);
  EXPECT_DOUBLE_EQ(d.traffic.value, 4.0 * (2 * 32 * 64 * 3136 + 36864));
}

TEST(KernelDemand, BackwardPassesTransposeTheProduct) {
  const Layer layer = convolution(64, 128, 56, 28, 3);
  const Piece piece = whole(layer, 2);
  const KernelDemand data = demand(layer, piece, Pass::backward_data, kFp32);
  EXPECT_EQ(data.m, 2 * 56 * 56);
  EXPECT_EQ(data.n, 64);
  EXPECT_EQ(data.k, 128 * 9);
  const KernelDemand weights = demand(layer, piece, Pass::backward_weights, kFp32);
  EXPECT_EQ(weights.m, 576);
  EXPECT_EQ(weights.n, 128);
  EXPECT_EQ(weights.k, 2 * 28 * 28);
  // The holes that the stride leaves are not counted.
  EXPECT_DOUBLE_EQ(data.flops.value, 2.0 * 2 * 28 * 28 * 128 * 576);
  EXPECT_EQ(weights.flops, data.flops);
}

TEST(KernelDemand, APieceIsPricedByItsOwnShape) {
  const Layer layer = convolution(64, 64, 56, 56, 3);
  Piece piece = whole(layer, 32);
  piece.output[Axis::channel] = 16;
  piece.weights /= 4;
  const KernelDemand d = demand(layer, piece, Pass::forward, kFp32);
  EXPECT_EQ(d.n, 16);
  EXPECT_DOUBLE_EQ(d.flops.value, 2.0 * 100352 * 16 * 576);
  EXPECT_DOUBLE_EQ(d.traffic.value, 4.0 * (32 * 3136 * (64 + 16) + 9216));
}

TEST(KernelDemand, GroupsMakeSmallerProducts) {
  const Layer layer = convolution(128, 128, 56, 56, 3, 32);
  const KernelDemand d = demand(layer, whole(layer, 1), Pass::forward, kFp32);
  EXPECT_EQ(d.form, KernelForm::convolution);
  EXPECT_FALSE(d.aligned);
  EXPECT_EQ(d.map[0], 0);
  EXPECT_EQ(d.groups, 32);
  EXPECT_EQ(d.n, 4);
  EXPECT_EQ(d.k, 36);
}

// 20 tokens that wait for each other are 20 products of 8 rows, not one of 160.
TEST(KernelDemand, TokensOfARecurrentLayerTakeTurns) {
  const LayerCase of = parse_layer_case("recurrent 8:24x20 features=32");
  const Layer layer = layer_of(of);
  Piece piece;
  piece.samples = 8;
  piece.input = layer.input;
  piece.output = layer.output;
  piece.reduction = layer.reduction;
  const KernelDemand forward = demand(layer, piece, Pass::forward, Training{});
  EXPECT_EQ(forward.m, 8);
  EXPECT_EQ(forward.n, 4 * 32);
  EXPECT_EQ(forward.k, 24 + 32);
  EXPECT_EQ(demand(layer, piece, Pass::backward_data, Training{}).n, 24 + 32);
  EXPECT_EQ(forward.kernels, 20);
  EXPECT_GT(forward.flops.value, 2.0 * 8 * 143'360);
  EXPECT_EQ(demand(layer, piece, Pass::backward_weights, Training{}).k, 160);
}

// Two directions of 32 features are not one of 64 over as many channels and states.
TEST(KernelKeys, OfRecurrentLayersTellGatesStatesAndDirections) {
  const auto key = [](const char* text) {
    const LayerCase of = parse_layer_case(text);
    const Layer layer = layer_of(of);
    Piece piece;
    piece.samples = of.samples;
    piece.input = layer.input;
    piece.output = layer.output;
    piece.reduction = layer.reduction;
    return key_of(layer, piece, Pass::forward, Training{});
  };
  const KernelKey lstm = key("recurrent 8:24x20 features=32");
  EXPECT_EQ(work_of(lstm).operations, 2.0 * 8 * 143'360);
  EXPECT_EQ(lstm.variant, "lstm");
  EXPECT_NE(key("recurrent 8:64x20 features=32 directions=2"),
            key("recurrent 8:32x20 features=64"));
}

TEST(KernelDemand, ADepthwiseConvolutionIsNoProduct) {
  const Layer layer = convolution(96, 96, 56, 56, 3, 96);
  const KernelDemand d = demand(layer, whole(layer, 1), Pass::forward, kFp32);
  EXPECT_EQ(d.form, KernelForm::depthwise);
  EXPECT_DOUBLE_EQ(d.flops.value, 2.0 * 96 * 3136 * 9);
}

TEST(KernelDemand, WinogradNeedsASquareUndilatedWindowAtStrideOne) {
  const auto filtered = [](const Layer& layer) {
    return demand(layer, whole(layer, 1), Pass::forward, kFp32).map[0] > 0;
  };
  EXPECT_TRUE(filtered(convolution(64, 64, 56, 56, 3)));
  EXPECT_TRUE(filtered(convolution(64, 64, 56, 56, 5)));
  EXPECT_FALSE(filtered(convolution(64, 64, 56, 56, 1)));
  EXPECT_FALSE(filtered(convolution(64, 64, 56, 28, 3)));
  EXPECT_FALSE(filtered(convolution(64, 64, 56, 56, 3, 4)));
  Layer dilated = convolution(64, 64, 56, 56, 3);
  dilated.window.dilation = {1, 2, 2};
  EXPECT_FALSE(filtered(dilated));
}

TEST(KernelDemand, ABiasGradientIsAKernelOfItsOwn) {
  Layer layer = convolution(64, 64, 56, 56, 3);
  layer.weights.push_back({"bias", 64, true, false});
  const Piece piece = whole(layer, 1);
  EXPECT_EQ(demand(layer, piece, Pass::forward, kFp32).kernels, 1);
  EXPECT_EQ(demand(layer, piece, Pass::backward_data, kFp32).kernels, 1);
  EXPECT_EQ(demand(layer, piece, Pass::backward_weights, kFp32).kernels, 2);
}

/// A batch norm over 64 features: 5 and 9 operations per element, 3 and 5 touches.
Layer batch_norm() {
  Layer layer;
  layer.input = layer.output = shape_of(64, 56);
  layer.weights = {{"gamma", 64, 64}, {"beta", 64, 64}};
  layer.work = {{{5, 2, 1, 1}, {9, 3, 2, 1}, {0, 0, 0, 1}}};
  return layer;
}

TEST(KernelDemand, StreamsByTouches) {
  const Layer layer = batch_norm();
  const Piece piece = whole(layer, 2);
  const double elements = 2 * 64 * 3136;
  const KernelDemand forward = demand(layer, piece, Pass::forward, kFp32);
  EXPECT_EQ(forward.form, KernelForm::stream);
  EXPECT_DOUBLE_EQ(forward.flops.value, 5 * elements);
  EXPECT_DOUBLE_EQ(forward.traffic.value, 4 * (3 * elements + 128));
  EXPECT_DOUBLE_EQ(demand(layer, piece, Pass::backward_data, kFp32).traffic.value,
                   4 * (5 * elements + 128));
  EXPECT_EQ(demand(layer, piece, Pass::backward_weights, kFp32).kernels, 0);
}

TEST(KernelDemand, NarrowFormatsHalveTheTraffic) {
  const Layer layer = batch_norm();
  const Piece piece = whole(layer, 2);
  EXPECT_DOUBLE_EQ(demand(layer, piece, Pass::forward, training_of("fp16")).traffic.value,
                   demand(layer, piece, Pass::forward, kFp32).traffic.value / 2);
}

/// 1000 scores of 2 bytes, 5 touches of 4 bytes forward and 6 backward.
TEST(KernelDemand, ALossMayTurnItsScoresIntoFp32) {
  const Layer layer = layer_of(parse_layer_case("softmax_loss 1:1000"));
  Training training = training_of("fp16");
  const auto traffic = [&](Pass pass) {
    return demand(layer, whole(layer, 1), pass, training).traffic.value;
  };
  EXPECT_EQ(traffic(Pass::forward), 2 * 1001);
  training.framework.fp32_loss = true;
  EXPECT_EQ(traffic(Pass::forward), 1000 * (2 + 5 * 4));
  EXPECT_EQ(traffic(Pass::backward_data), 1000 * (2 + 6 * 4));
  EXPECT_EQ(traffic(Pass::backward_weights), 0);
  training.precision = precision_named("fp32");
  EXPECT_EQ(traffic(Pass::forward), 4 * 1001);
}

TEST(KernelDemand, NothingToDoIsNoKernel) {
  Layer layer;
  layer.input = layer.output = shape_of(64, 56);
  const KernelDemand d = demand(layer, whole(layer, 2), Pass::forward, kFp32);
  EXPECT_EQ(d.kernels, 0);
  EXPECT_EQ(d.flops.value, 0);
  EXPECT_EQ(d.traffic.value, 0);
}

TEST(KernelDemand, AGradientSumReadsTwoAndWritesOne) {
  const Layer layer = batch_norm();
  const KernelDemand d = demand(layer, whole(layer, 2), Pass::gradient_sum, kFp32);
  EXPECT_DOUBLE_EQ(d.flops.value, 2 * 64 * 3136);
  EXPECT_DOUBLE_EQ(d.traffic.value, 3 * 4 * 2 * 64 * 3136);
}

TEST(KernelDemand, AGradientMayBeAddedWhereItIsMade) {
  const Layer layer = batch_norm();
  Training training = training_of("fp32");
  training.framework.sums_in_kernels = true;
  const KernelDemand d = demand(layer, whole(layer, 2), Pass::gradient_sum, training);
  EXPECT_DOUBLE_EQ(d.traffic.value, 4 * 2 * 64 * 3136);
  EXPECT_EQ(d.kernels, 0);
}

/// Of a residual that is added in the kernel of a batch norm: read forward, its gradient written.
TEST(KernelDemand, ASumInABatchNormTouchesTheOtherTermAlone) {
  const auto touched = [](const char* of, Pass pass) {
    const Layer layer = layer_of(parse_layer_case(of));
    Piece piece = whole(layer, 2);
    piece.in_norm = true;
    const KernelDemand d = demand(layer, piece, pass, kFp32);
    EXPECT_EQ(d.kernels, 0);
    EXPECT_EQ(d.flops.value, 0);
    return d.traffic.value / (4 * 2 * 64 * 56 * 56);
  };
  EXPECT_EQ(touched("add 2:64x56x56+64x56x56", Pass::forward), 1);
  EXPECT_EQ(touched("add 2:64x56x56+64x56x56", Pass::backward_data), 0);
  EXPECT_EQ(touched("activation 2:64x56x56", Pass::forward), 0);
  EXPECT_EQ(touched("activation 2:64x56x56", Pass::backward_data), 1);
}

/// The first layer of ResNet-50, whose three channels no matrix unit takes.
TEST(KernelDemand, ImagesMayBePaddedForMatrixUnits) {
  Training training = training_of("fp16");
  Layer layer = convolution(3, 64, 224, 112, 7);
  EXPECT_FALSE(demand(layer, whole(layer, 16), Pass::forward, training).padded);
  training.framework.half_pads_images = true;
  EXPECT_TRUE(demand(layer, whole(layer, 16), Pass::forward, training).padded);
  layer = convolution(64, 64, 56, 56, 3);
  EXPECT_FALSE(demand(layer, whole(layer, 16), Pass::forward, training).padded);
}

TEST(UpdateDemand, TouchesStateInFourBytes) {
  EXPECT_DOUBLE_EQ(update_demand(1000, training_of("fp32", "sgd")).traffic.value, 12e3);
  EXPECT_DOUBLE_EQ(update_demand(1000, training_of("fp32", "momentum")).traffic.value, 20e3);
  EXPECT_DOUBLE_EQ(update_demand(1000, training_of("fp32", "adam")).traffic.value, 28e3);
  EXPECT_EQ(update_demand(0, kFp32).kernels, 0);
}

TEST(UpdateDemand, NarrowFormatsReadNarrowGradientsAndWriteACopy) {
  // Momentum: w, v read and written in 4 bytes, the gradient read and the copy written in 2.
  EXPECT_DOUBLE_EQ(update_demand(1000, training_of("fp16", "momentum")).traffic.value, 20e3);
  EXPECT_DOUBLE_EQ(update_demand(1000, training_of("fp16", "sgd")).traffic.value, 12e3);
}

TEST(KernelKey, NamesKindPassFormatAndShape) {
  const Layer layer = convolution(128, 64, 56, 28, 3, 32);
  const KernelKey key = key_of(layer, whole(layer, 2), Pass::backward_weights, training_of("fp16"));
  KernelKey expected;
  expected.kind = "convolution";
  expected.pass = 2;
  expected.type = DataType::fp16;
  expected.samples = 2;
  expected.input = {128, 1, 56, 56};
  expected.output = {64, 1, 28, 28};
  expected.kernel = {1, 3, 3};
  expected.stride = {1, 2, 2};
  expected.groups = 32;
  expected.contraction = true;
  EXPECT_EQ(key, expected);
}

TEST(KernelKey, TellsApartWhatOneMatrixProductHides) {
  const Layer wide = convolution(64, 64, 56, 56, 3), deep = convolution(576, 64, 56, 56, 1);
  const KernelDemand a = demand(wide, whole(wide, 8), Pass::forward, kFp32);
  const KernelDemand b = demand(deep, whole(deep, 8), Pass::forward, kFp32);
  EXPECT_TRUE(a.m == b.m && a.n == b.n && a.k == b.k);
  EXPECT_NE(key_of(wide, whole(wide, 8), Pass::forward, kFp32),
            key_of(deep, whole(deep, 8), Pass::forward, kFp32));
}

TEST(KernelKey, OfAnUpdateNamesOptimizerAndWeights) {
  const KernelKey key = update_key(1000, training_of("fp32", "adam"));
  EXPECT_EQ(key.kind, "update");
  EXPECT_EQ(key.variant, "adam");
  EXPECT_EQ(key.input[0], 1000);
  const Layer layer = convolution(64, 64, 56, 56, 3);
  EXPECT_EQ(key_of(layer, whole(layer, 1), Pass::update, training_of("fp32", "adam")),
            update_key(36864, training_of("fp32", "adam")));
}

TEST(KernelKey, OfJoinedInputsHasTheirMean) {
  const auto key = [](const char* of) {
    const Layer layer = layer_of(parse_layer_case(of));
    return key_of(layer, whole(layer, 4), Pass::forward, kFp32);
  };
  const KernelKey joined = key("concat 4:192x14x14+208x14x14+48x14x14+64x14x14");
  EXPECT_EQ(joined.inputs, 4);
  EXPECT_EQ(joined.input, (std::array<std::int64_t, 4>{128, 1, 14, 14}));
  EXPECT_DOUBLE_EQ(work_of(joined).elements, 2.0 * 4 * 512 * 14 * 14);
  EXPECT_EQ(key("concat 4:128x14x14+192x14x14+96x14x14+64x14x14").input[0], 128)
      << "in whole blocks, as theirs are";
  EXPECT_EQ(key("add 4:64x14x14+64x14x14").input[0], 64);
}

TEST(KernelKey, OfAGradientSumIsOfNoKind) {
  const Layer layer = convolution(64, 128, 56, 28, 3);
  const KernelKey key = key_of(layer, whole(layer, 4), Pass::gradient_sum, kFp32);
  EXPECT_EQ(key.kind, "gradient_sum");
  EXPECT_EQ(key.input, (std::array<std::int64_t, 4>{128, 1, 28, 28}));
  EXPECT_EQ(key.inputs, 2);
}

}  // namespace kernel_test
}  // namespace oracle
