// Operators one by one, on models written down here; no file and no protobuf.

#include "oracle/io/onnx/operators/operators.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "tests/io/onnx/written_model.h"

namespace oracle::onnx {
namespace operators_test {

using testing::HasSubstr;

/// The layer before the loss.
const Layer& last(const Graph& graph) { return graph[graph.size() - 2]; }

TEST(OnnxOperators, AreFoundByTheirType) {
  ASSERT_NE(find_operator("Conv"), nullptr);
  EXPECT_NE(find_operator("Conv")->act, nullptr);
  ASSERT_NE(find_operator("Loop"), nullptr);
  EXPECT_EQ(find_operator("Loop")->act, nullptr);
  EXPECT_FALSE(find_operator("Loop")->reason.empty());
  EXPECT_EQ(find_operator("FusedConv"), nullptr);
}

TEST(OnnxOperators, MatMulAndAddAreOneDenseLayer) {
  const Graph graph =
      import(model_of({node("MatMul", {"x", "w"}, "p"), node("Add", {"p", "b"}, "y")}, {8},
                      {{"w", weights({8, 4})}, {"b", weights({4})}}));
  ASSERT_EQ(graph.size(), 3U);
  EXPECT_EQ(graph.parameters(), 36);  // 8·4 + 4
  EXPECT_EQ(last(graph).output.channels(), 4);
}

TEST(OnnxOperators, GemmReadsItsWeightsEitherWay) {
  const Graph graph = import(model_of({node("Gemm", {"x", "w", "b"}, "y", {whole("transB", 1)})},
                                      {8}, {{"w", weights({4, 8})}, {"b", weights({4})}}));
  EXPECT_EQ(graph.parameters(), 36);
  EXPECT_THAT(refusal(model_of({node("Gemm", {"x", "w"}, "y")}, {8}, {{"w", weights({4, 8})}})),
              HasSubstr("node \"/y\" (Gemm): its weights are for 4 channels"));
}

TEST(OnnxOperators, ConvolutionsAreGroupedDilatedAndPaddedUnevenly) {
  // Extents along 10: 10 + 1 + 2 − 2·(3−1) − 1 = 8, /2 + 1 = 5; along 9, unpadded: (9−5)/2 + 1 = 3.
  const Graph graph = import(model_of({node("Conv", {"x", "w"}, "y",
                                            {whole("group", 2), list("dilations", {2, 2}),
                                             list("strides", {2, 2}), list("pads", {1, 0, 2, 0})})},
                                      {4, 10, 9}, {{"w", weights({6, 2, 3, 3})}}));
  EXPECT_EQ(to_text(last(graph).output), "6x5x3");
  EXPECT_EQ(graph.parameters(), 108);  // 6·2·9
  EXPECT_EQ(last(graph).groups, 2);
}

TEST(OnnxOperators, ConvolutionsHaveThreeSpatialAxes) {
  const Graph graph = import(model_of({node("Conv", {"x", "w", "b"}, "y")}, {2, 8, 7, 6},
                                      {{"w", weights({5, 2, 3, 3, 3})}, {"b", weights({5})}}));
  EXPECT_EQ(to_text(last(graph).output), "5x6x5x4");
  EXPECT_EQ(graph.parameters(), 275);  // 5·2·27 + 5
}

TEST(OnnxOperators, DepthwiseConvolutionsPadToTheSameExtent) {
  const Graph graph = import(
      model_of({node("Conv", {"x", "w"}, "y",
                     {whole("group", 4), list("strides", {2, 2}), word("auto_pad", "SAME_UPPER")})},
               {4, 8, 8}, {{"w", weights({4, 1, 3, 3})}}));
  EXPECT_EQ(to_text(last(graph).output), "4x4x4");  // ⌈8/2⌉, with one zero after
  EXPECT_EQ(last(graph).window.pad_after[2], 1);
  EXPECT_EQ(last(graph).mixing, Mixing::channelwise);
}

TEST(OnnxOperators, TransposedConvolutionsWiden) {
  const Graph graph =
      import(model_of({node("ConvTranspose", {"x", "w"}, "y", {list("strides", {2, 2})})},
                      {8, 5, 5}, {{"w", weights({8, 3, 2, 2})}}));
  EXPECT_EQ(to_text(last(graph).output), "3x10x10");
  EXPECT_EQ(graph.parameters(), 96);  // 8·3·4
}

TEST(OnnxOperators, ZerosOfAPadGoIntoTheWindow) {
  const Graph graph = import(
      model_of({node("Pad", {"x", "pads"}, "p"), node("Conv", {"p", "w"}, "y")}, {3, 8, 8},
               {{"pads", integers({0, 0, 1, 1, 0, 0, 1, 1})}, {"w", weights({3, 3, 3, 3})}}));
  EXPECT_EQ(to_text(last(graph).output), "3x8x8");
  const Graph apart = import(model_of({node("Pad", {"x", "pads"}, "p"), node("Relu", {"p"}, "y")},
                                      {3, 8, 8}, {{"pads", integers({0, 0, 1, 1, 0, 0, 1, 1})}}));
  EXPECT_EQ(to_text(last(apart).output), "3x10x10");
}

TEST(OnnxOperators, ShapeArithmeticAroundAReshapeIsFolded) {
  const Graph graph = import(model_of(
      {node("Shape", {"x"}, "shape"), node("Gather", {"shape", "zero"}, "batch"),
       node("Unsqueeze", {"batch", "axis"}, "first"),
       node("Concat", {"first", "rest"}, "target", {whole("axis", 0)}),
       node("Reshape", {"x", "target"}, "y")},
      {3, 4, 5},
      {{"zero", {{}, false, Integers{0}, {}}}, {"axis", integers({0})}, {"rest", integers({-1})}}));
  ASSERT_EQ(graph.size(), 3U);
  EXPECT_EQ(last(graph).kind->name, "flatten");
  EXPECT_EQ(to_text(last(graph).output), "60");
}

TEST(OnnxOperators, AMeanOverAllPositionsIsAPool) {
  const Graph graph = import(model_of(
      {node("ReduceMean", {"x"}, "y", {list("axes", {-1, -2}), whole("keepdims", 0)})}, {3, 4, 5}));
  EXPECT_EQ(last(graph).reach, Reach::global);
  EXPECT_EQ(to_text(last(graph).output), "3");
}

TEST(OnnxOperators, GatesBranchesAndJoins) {
  const Graph graph = import(
      model_of({node("Relu", {"x"}, "r"), node("GlobalAveragePool", {"r"}, "g"),
                node("Sigmoid", {"g"}, "s"), node("Mul", {"s", "r"}, "m"),
                node("Add", {"m", "x"}, "a"), node("Concat", {"a", "r"}, "c", {whole("axis", 1)}),
                node("LRN", {"c"}, "y", {whole("size", 5)})},
               {3, 4, 4}));
  EXPECT_EQ(to_text(last(graph).output), "6x4x4");
  EXPECT_EQ(graph.parameters(), 0);
}

TEST(OnnxOperators, TheLastSoftmaxBelongsToTheLoss) {
  const Graph graph =
      import(model_of({node("Relu", {"x"}, "r"), node("Softmax", {"r"}, "y")}, {8}));
  ASSERT_EQ(graph.size(), 3U);
  EXPECT_EQ(graph[2].kind->name, "softmax_loss");
}

TEST(OnnxOperators, ALossOfTheNetworksOwnIsKept) {
  Model model =
      model_of({node("Relu", {"x"}, "r"), node("SoftmaxCrossEntropyLoss", {"r", "t"}, "y")}, {8});
  model.inputs.push_back({"t", false, {std::nullopt}});
  EXPECT_EQ(import(model).size(), 3U);
}

TEST(OnnxOperators, WhatNoOutputNeedsIsLeftOut) {
  const Graph graph =
      import(model_of({node("Loop", {"x"}, "aside"), node("Relu", {"x"}, "y")}, {3, 4, 4}));
  EXPECT_EQ(graph.size(), 3U);
}

TEST(OnnxOperators, UnknownOnesAreAllNamedWithTheirNode) {
  const std::string text =
      refusal(model_of({node("my.Fold", {"x"}, "e"), node("my.Spin", {"e"}, "y")}, {3, 4, 4}));
  EXPECT_THAT(text, HasSubstr("node \"/e\" (my.Fold): the operator \"my.Fold\" is not known; "));
  EXPECT_THAT(text, HasSubstr("node \"/y\" (my.Spin): the operator \"my.Spin\" is not known; "));
}

TEST(OnnxOperators, OnesThatNoKindHasAreRefusedWithAReason) {
  ModelOverrides overrides;
  for (const bool skip : {false, true}) {
    overrides.skip_unknown = skip;
    EXPECT_THAT(refusal(model_of({node("Loop", {"x"}, "y")}, {3, 4, 4}), overrides),
                HasSubstr("node \"/y\" (Loop): how often its work is done depends on the data; "
                          "export the network by tracing"));
    EXPECT_THAT(refusal(model_of({node("NonZero", {"x"}, "y")}, {3, 4, 4}), overrides),
                HasSubstr("(NonZero): how much it makes depends on the data"));
  }
}

TEST(OnnxOperators, CyclesAndValuesMadeTwiceAreRefused) {
  EXPECT_THAT(refusal(model_of({node("Add", {"x", "y"}, "a"), node("Relu", {"a"}, "y")}, {3})),
              HasSubstr("it reads \"y\", which nothing before it makes"));
  EXPECT_THAT(refusal(model_of({node("Relu", {"y"}, "y")}, {3})),
              HasSubstr("which nothing before it makes"));
  EXPECT_THAT(refusal(model_of({node("Relu", {"x"}, "y"), node("Tanh", {"x"}, "y")}, {3})),
              HasSubstr("which is made already"));
}

TEST(OnnxOperators, WeightsMayBeInputs) {
  Model model = model_of({node("MatMul", {"x", "w"}, "y")}, {8});
  model.inputs.push_back({"w", true, {8, 4}});
  EXPECT_EQ(import(model).parameters(), 32);
}

/// A bound or a filling may have been trained, and the file does not say so.
TEST(OnnxOperators, StoredConstantsThatNoLayerHasAreNoted) {
  const auto noted = [](const Node& last, const Tensor& constant) {
    const Model model =
        model_of({node("Conv", {"x", "w"}, "c"), last}, {3, 8, 8},
                 {{"w", weights({4, 3, 1, 1})}, {"k", constant}, {"m", integers({1})}});
    Importer importer(model, "net", {}, 2);
    EXPECT_EQ(importer.run().parameters(), 12);
    return importer.notes().masks;
  };
  const Tensor bounds = weights({4, 1, 1});
  EXPECT_EQ(noted(node("Max", {"c", "k"}, "y"), bounds), 1);
  EXPECT_EQ(noted(node("Pow", {"c", "k"}, "y"), bounds), 1);
  EXPECT_EQ(noted(node("Where", {"m", "c", "k"}, "y"), weights({4, 8, 8})), 1);
  EXPECT_EQ(noted(node("Max", {"c", "k"}, "y"), number(2)), 0);
  EXPECT_EQ(noted(node("Relu", {"c"}, "y"), bounds), 0);
}

TEST(OnnxOperators, StatesThatASequenceBeginsWithAreNotedUnlessZero) {
  const auto noted = [](const Tensor& state) {
    Model model =
        model_of({node("GRU", {"x", "w", "r", "", "", "h"}, "s"), node("Flatten", {"s"}, "y")},
                 {5, 6}, {{"w", weights({1, 24, 6})}, {"r", weights({1, 24, 8})}, {"h", state}});
    model.nodes.front().attributes = {whole("layout", 1)};
    Importer importer(model, "net", {}, 1);
    EXPECT_EQ(importer.run().parameters(), 24 * (6 + 8));
    return importer.notes().masks;
  };
  Tensor zeros = weights({1, 1, 8});
  zeros.reals = Reals(8, 0);
  EXPECT_EQ(noted(zeros), 0);
  EXPECT_EQ(noted(weights({1, 1, 8})), 1);
}

TEST(OnnxOperators, RecurrentWeightsFitEachOther) {
  const auto refused = [](const Attribute& attribute, const Integers& bias) {
    return refusal(model_of(
        {node("LSTM", {"x", "w", "r", "b"}, "s", {whole("layout", 1), attribute}),
         node("Flatten", {"s"}, "y")},
        {5, 6}, {{"w", weights({1, 32, 6})}, {"r", weights({1, 32, 8})}, {"b", weights(bias)}}));
  };
  EXPECT_EQ(refused(whole("hidden_size", 8), {1, 64}), "it was read");
  for (const std::string& why :
       {refused(whole("hidden_size", 9), {1, 64}), refused(whole("hidden_size", 8), {1, 7}),
        refused(word("direction", "bidirectional"), {1, 64})}) {
    EXPECT_THAT(why, HasSubstr("its weights do not fit its input, or each other"));
  }
}

TEST(OnnxOperators, ClipsAreReluOrRelu6) {
  const Tensor zero{{}, true, {}, std::vector<double>{0}};
  const Tensor six{{}, true, {}, std::vector<double>{6}};
  const Graph relu = import(model_of({node("Clip", {"x", "z"}, "y")}, {8}, {{"z", zero}}));
  EXPECT_EQ(last(relu).variant, "relu");
  const Graph relu6 =
      import(model_of({node("Clip", {"x", "z", "s"}, "y")}, {8}, {{"z", zero}, {"s", six}}));
  EXPECT_EQ(last(relu6).variant, "relu6");
}

}  // namespace operators_test
}  // namespace oracle::onnx
