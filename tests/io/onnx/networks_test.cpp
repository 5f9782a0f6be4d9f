// Blocks of networks as exporters write them, against closed forms.

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"
#include "tests/io/onnx/written_model.h"

namespace oracle::onnx {
namespace networks_test {

using testing::HasSubstr;
using Nodes = std::vector<Node>;
using Constants = std::unordered_map<std::string, Tensor>;

constexpr std::int64_t kTokens = 196, kWidth = 768, kHeads = 12, kInner = 3072;

void append(Nodes& nodes, const Nodes& more) {
  nodes.insert(nodes.end(), more.begin(), more.end());
}

Attribute order(Integers axes) { return list("perm", std::move(axes)); }

/// Self-attention of `x` as torch.onnx writes it: three products, heads in front, scores, shares.
Nodes attention(const std::string& x, const std::string& y) {
  Nodes nodes;
  for (const char* each : {"q", "k", "v"}) {
    const std::string name = each;
    append(nodes, {node("MatMul", {x, "w" + name}, name + ".product"),
                   node("Add", {"b" + name, name + ".product"}, name + ".sum"),
                   node("Reshape", {name + ".sum", "split"}, name + ".split"),
                   node("Transpose", {name + ".split"}, name,
                        {order(name == "k" ? Integers{0, 2, 3, 1} : Integers{0, 2, 1, 3})})});
  }
  append(nodes, {node("MatMul", {"q", "k"}, "scores"), node("Div", {"scores", "eight"}, "scaled"),
                 node("Softmax", {"scaled"}, "shares", {whole("axis", -1)}),
                 node("MatMul", {"shares", "v"}, "mixed"),
                 node("Transpose", {"mixed"}, "behind", {order({0, 2, 1, 3})}),
                 node("Reshape", {"behind", "join"}, "joined"),
                 node("MatMul", {"joined", "wo"}, "out"), node("Add", {"out", "bo"}, y)});
  return nodes;
}

/// A layer normalization before there was an operator for it.
Nodes written_out_norm(const std::string& x, const std::string& y) {
  return {node("ReduceMean", {x}, "mean", {list("axes", {-1})}),
          node("Sub", {x, "mean"}, "diff"),
          node("Pow", {"diff", "two"}, "square"),
          node("ReduceMean", {"square"}, "variance", {list("axes", {-1})}),
          node("Add", {"variance", "epsilon"}, "positive"),
          node("Sqrt", {"positive"}, "root"),
          node("Div", {"diff", "root"}, "normal"),
          node("Mul", {"normal", "gamma2"}, "scaled2"),
          node("Add", {"scaled2", "beta2"}, y)};
}

Nodes written_out_gelu(const std::string& x, const std::string& y) {
  return {node("Div", {x, "root2"}, "g1"), node("Erf", {"g1"}, "g2"),
          node("Add", {"g2", "one"}, "g3"), node("Mul", {x, "g3"}, "g4"),
          node("Mul", {"g4", "half"}, y)};
}

Constants block_weights() {
  Constants constants = {{"split", integers({0, kTokens, kHeads, kWidth / kHeads})},
                         {"join", integers({0, kTokens, kWidth})},
                         {"eight", number(8)},
                         {"two", number(2)},
                         {"epsilon", number(1e-6)},
                         {"root2", number(1.41421356)},
                         {"one", number(1)},
                         {"half", number(0.5)},
                         {"w1", weights({kWidth, kInner})},
                         {"b1", weights({kInner})},
                         {"w2", weights({kInner, kWidth})},
                         {"b2", weights({kWidth})}};
  for (const char* name : {"wq", "wk", "wv", "wo"}) constants[name] = weights({kWidth, kWidth});
  for (const char* name : {"bq", "bk", "bv", "bo", "gamma", "beta", "gamma2", "beta2"}) {
    constants[name] = weights({kWidth});
  }
  return constants;
}

Model transformer_block() {
  Nodes nodes = {node("LayerNormalization", {"x", "gamma", "beta"}, "n1")};
  append(nodes, attention("n1", "a"));
  append(nodes, {node("Add", {"a", "x"}, "r")});
  append(nodes, written_out_norm("r", "n2"));
  append(nodes, {node("MatMul", {"n2", "w1"}, "m1"), node("Add", {"m1", "b1"}, "h")});
  append(nodes, written_out_gelu("h", "g"));
  append(nodes, {node("MatMul", {"g", "w2"}, "m2"), node("Add", {"m2", "b2"}, "f"),
                 node("Add", {"f", "r"}, "y")});
  return model_of(nodes, {kTokens, kWidth}, block_weights());
}

std::int64_t count_of(const Graph& graph, std::string_view kind) {
  return std::count_if(graph.layers.begin(), graph.layers.end(),
                       [&](const Layer& layer) { return layer.kind->name == kind; });
}

// An encoder layer of ViT-B/16: 12 of them, 590,592 of the patches, 768 of the class token, 197·768
// places, 1,536 of the last norm and 769,000 of the head are the 86,567,656 parameters that
// torchvision publishes for vit_b_16.
TEST(OnnxNetworks, ATransformerBlockHasItsParametersAndProducts) {
  const Graph graph = import(transformer_block());
  EXPECT_EQ(graph.parameters(), 7'087'872);
  const double projections = 4.0 * kWidth * kWidth + 2.0 * kWidth * kInner;
  const double attention = 2.0 * kTokens * kWidth;  // scores and shares, for each position
  EXPECT_EQ(graph.multiply_adds(), kTokens * (projections + attention));
  EXPECT_EQ(count_of(graph, "layer_norm"), 2);
  EXPECT_EQ(count_of(graph, "convolution"), 6);
  EXPECT_EQ(count_of(graph, "matmul"), 2);
  EXPECT_EQ(count_of(graph, "add"), 2);
  EXPECT_EQ(count_of(graph, "reshape"), 0);     // heads are names
  EXPECT_EQ(count_of(graph, "activation"), 2);  // the quotient and the gelu
  EXPECT_EQ(graph.size(), 1U + 2 + 6 + 2 + 2 + 2 + 1 + 1);
}

// Both gradients of a product of activations are made in backward data: as many operations again as
// the gradients of the input and of the weights of a layer.
TEST(OnnxNetworks, BackwardOfATransformerIsTwiceItsForward) {
  const Graph graph = import(transformer_block());
  const double forward = 2 * graph.multiply_adds();
  const double backward = graph.flops(Pass::backward_data) + graph.flops(Pass::backward_weights);
  EXPECT_NEAR(backward / forward, 2, 0.01);
}

// Scores sum over the keys' channels, what they share out over the values' positions.
TEST(OnnxNetworks, OnlyTheProductWithValuesReadsThemTurned) {
  std::vector<bool> turned;
  const Graph graph = import(transformer_block());
  for (const Layer& layer : graph.layers) {
    if (layer.kind->name == "matmul") turned.push_back(layer.turned);
  }
  EXPECT_THAT(turned, testing::ElementsAre(false, true));
}

TEST(OnnxNetworks, HeadsStayTogetherInShares) {
  const Graph graph = import(transformer_block());
  for (const Layer& layer : graph.layers) {
    if (layer.kind->name != "softmax" && layer.kind->name != "matmul") continue;
    EXPECT_EQ(layer.groups, kHeads) << layer.name;
  }
}

TEST(OnnxNetworks, ATextIsLookedUpAndHasPositions) {
  Model model = model_of({node("Gather", {"words", "x"}, "e"), node("Add", {"e", "places"}, "p"),
                          node("LayerNormalization", {"p", "g", "b"}, "y")},
                         {},
                         {{"words", weights({30'522, kWidth})},
                          {"places", weights({1, 128, kWidth})},
                          {"g", weights({kWidth})},
                          {"b", weights({kWidth})}});
  model.inputs = {{"x", false, {std::nullopt, 128}}};
  const Graph graph = import(model);
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "768x128");
  EXPECT_EQ(graph.parameters(), 30'522 * 768 + 128 * 768 + 2 * 768);
}

TEST(OnnxNetworks, AFusedProjectionIsSplitInThree) {
  const Graph graph =
      import(model_of({node("MatMul", {"x", "w"}, "qkv"),
                       {"/split", "Split", {"qkv"}, {"a", "b", "c"}, {whole("axis", 2)}},
                       node("Mul", {"a", "b"}, "ab"),
                       node("Mul", {"ab", "c"}, "y")},
                      {16, 8}, {{"w", weights({8, 24})}}));
  EXPECT_EQ(count_of(graph, "slice"), 3);
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "8x16");
  std::vector<std::int64_t> begins;
  for (const Layer& layer : graph.layers) {
    if (layer.kind->name == "slice") {
      begins.push_back(layer.begin[static_cast<std::size_t>(Axis::channel)]);
    }
  }
  EXPECT_THAT(begins, testing::ElementsAre(0, 8, 16));
}

// The last three rows of eight; the third of three channels.
TEST(OnnxNetworks, APartBeginsWhereTheExporterSays) {
  const auto begin_of = [](const Graph& graph, Axis axis) {
    return graph[1].begin[static_cast<std::size_t>(axis)];
  };
  const Graph rows = import(
      model_of({node("Slice", {"x", "from", "to", "along"}, "y")}, {3, 8, 8},
               {{"from", integers({-3})}, {"to", integers({100})}, {"along", integers({2})}}));
  EXPECT_EQ(to_text(rows[1].output), "3x3x8");
  EXPECT_EQ(begin_of(rows, Axis::height), 5);
  const Graph channel = import(model_of({node("Gather", {"x", "last"}, "y", {whole("axis", 1)})},
                                        {3, 8, 8}, {{"last", integers({2})}}));
  EXPECT_EQ(to_text(channel[1].output), "1x8x8");
  EXPECT_EQ(begin_of(channel, Axis::channel), 2);
}

// Tokens of an image: a convolution, positions in a row, channels last.
TEST(OnnxNetworks, PatchesOfAnImageBecomeTokens) {
  const Graph graph =
      import(model_of({node("Conv", {"x", "w"}, "patches", {list("strides", {16, 16})}),
                       node("Reshape", {"patches", "flat"}, "row"),
                       node("Transpose", {"row"}, "tokens", {order({0, 2, 1})}),
                       node("MatMul", {"tokens", "v"}, "y")},
                      {3, 224, 224},
                      {{"w", weights({768, 3, 16, 16})},
                       {"flat", integers({0, 768, 196})},
                       {"v", weights({768, 10})}}));
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "10x196");
  EXPECT_EQ(graph.multiply_adds(), 196.0 * 768 * 3 * 256 + 196.0 * 768 * 10);
}

// MLP-Mixer mixes tokens with a product over positions.
TEST(OnnxNetworks, AProductOverPositionsTurnsTheTensor) {
  const Graph graph = import(model_of(
      {node("MatMul", {"x", "w0"}, "t"), node("Transpose", {"t"}, "turned", {order({0, 2, 1})}),
       node("MatMul", {"turned", "w"}, "y")},
      {16, 8}, {{"w0", weights({8, 8})}, {"w", weights({16, 5})}}));
  EXPECT_EQ(count_of(graph, "reshape"), 1);
  EXPECT_EQ(graph.multiply_adds(), 16.0 * 8 * 8 + 8.0 * 16 * 5);
}

TEST(OnnxNetworks, AnImageMayHaveItsChannelsLast) {
  const Graph graph = import(model_of(
      {node("Transpose", {"x"}, "t", {order({0, 3, 1, 2})}), node("Conv", {"t", "w"}, "y")},
      {20, 30, 3}, {{"w", weights({8, 3, 3, 3})}}));
  EXPECT_EQ(to_text(graph[0].output), "3x20x30");
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "8x18x28");
}

// A level of a U-Net: down, up by a transposed convolution or by resampling, joined with the skip.
TEST(OnnxNetworks, AUNetComesBackToItsExtents) {
  const Graph graph = import(model_of(
      {node("Conv", {"x", "w1", "b1"}, "c1", {list("pads", {1, 1, 1, 1})}),
       node("Relu", {"c1"}, "skip"),
       node("MaxPool", {"skip"}, "down", {list("kernel_shape", {2, 2}), list("strides", {2, 2})}),
       node("ConvTranspose", {"down", "w2", "b2"}, "up", {list("strides", {2, 2})}),
       node("Resize", {"down", "", "scales"}, "wide"),
       node("Concat", {"up", "wide", "skip"}, "all", {whole("axis", 1)}),
       node("Conv", {"all", "w3"}, "y")},
      {1, 64, 48},
      {{"w1", weights({16, 1, 3, 3})},
       {"b1", weights({16})},
       {"w2", weights({16, 8, 2, 2})},
       {"b2", weights({8})},
       {"scales", {{4}, true, {}, std::vector<double>{1, 1, 2, 2}}},
       {"w3", weights({2, 40, 1, 1})}}));
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "2x64x48");
  EXPECT_EQ(graph.parameters(), 16 * 9 + 16 + 16 * 8 * 4 + 8 + 80);
  EXPECT_EQ(count_of(graph, "resize"), 1);
}

TEST(OnnxNetworks, ATransposedConvolutionAddsToItsOutput) {
  const Graph graph = import(model_of(
      {node("ConvTranspose", {"x", "w"}, "y",
            {list("strides", {2, 2}), list("pads", {1, 1, 1, 1}), list("output_padding", {1, 1})})},
      {4, 7, 7}, {{"w", weights({4, 6, 3, 3})}}));
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "6x14x14");  // (7−1)·2 − 2 + 3 + 1
}

TEST(OnnxNetworks, AGroupNormalizationIsPutTogetherAgain) {
  const Graph graph =
      import(model_of({node("Conv", {"x", "w"}, "c", {list("pads", {1, 1, 1, 1})}),
                       node("Reshape", {"c", "groups"}, "split"),
                       node("InstanceNormalization", {"split", "ones", "zeros"}, "normal"),
                       node("Reshape", {"normal", "back"}, "n"), node("Mul", {"n", "gamma"}, "s"),
                       node("Add", {"s", "beta"}, "t"), node("Sigmoid", {"t"}, "gate"),
                       node("Mul", {"t", "gate"}, "y")},
                      {3, 56, 56},
                      {{"w", weights({64, 3, 3, 3})},
                       {"groups", integers({0, 32, -1})},
                       {"ones", weights({32})},
                       {"zeros", weights({32})},
                       {"back", integers({0, 64, 56, 56})},
                       {"gamma", weights({64, 1, 1})},
                       {"beta", weights({64, 1, 1})}}));
  EXPECT_EQ(count_of(graph, "group_norm"), 1);
  EXPECT_EQ(graph.parameters(), 64 * 27 + 128);
  EXPECT_EQ(to_text(graph[graph.size() - 2].output), "64x56x56");
}

TEST(OnnxNetworks, VolumesAndSeriesAreConvolvedToo) {
  const Graph volume = import(model_of(
      {node("Conv", {"x", "w"}, "c"), node("BatchNormalization", {"c", "s", "b", "m", "v"}, "n"),
       node("Relu", {"n"}, "r"), node("GlobalAveragePool", {"r"}, "g"), node("Flatten", {"g"}, "f"),
       node("Gemm", {"f", "w2"}, "y", {whole("transB", 1)})},
      {1, 16, 16, 16},
      {{"w", weights({8, 1, 3, 3, 3})},
       {"s", weights({8})},
       {"b", weights({8})},
       {"m", weights({8})},
       {"v", weights({8})},
       {"w2", weights({4, 8})}}));
  EXPECT_EQ(volume.parameters(), 8 * 27 + 16 + 32);
  EXPECT_EQ(volume.multiply_adds(), 27.0 * 8 * 14 * 14 * 14 + 32);
  const Graph series = import(model_of({node("Conv", {"x", "w"}, "y", {list("dilations", {4})})},
                                       {2, 100}, {{"w", weights({3, 2, 5})}}));
  EXPECT_EQ(to_text(series[1].output), "3x84");  // 100 − 4·4
}

// A scale with a value for each element is trained; one that is the same for all heads is a mask or
// the cosine of a rotary position.
TEST(OnnxNetworks, AScaleOfPositionsIsAMaskWhereItIsTheSameForAllHeads) {
  const auto scaled = [](Integers dims) {
    return import(model_of({node("Mul", {"x", "w"}, "y")}, {4, 24, 16},
                           {{"w", weights(std::move(dims))}}))
        .parameters();
  };
  EXPECT_EQ(scaled({4, 24, 16}), 4 * 24 * 16);
  EXPECT_EQ(scaled({1, 24, 16}), 0);
  EXPECT_EQ(scaled({4, 1, 1}), 4);
}

// Biases of relative positions differ from head to head, a causal mask does not.
TEST(OnnxNetworks, WhatIsAddedToScoresIsAMaskWhereItIsTheSameForAllHeads) {
  const auto added = [](Integers dims) {
    return import(model_of(
                      {node("Add", {"x", "w"}, "s"),
                       node("Softmax", {"s"}, "p", {whole("axis", -1)}), node("Relu", {"p"}, "y")},
                      {4, 24, 24}, {{"w", weights(std::move(dims))}}))
        .parameters();
  };
  EXPECT_EQ(added({1, 4, 24, 24}), 4 * 24 * 24);
  EXPECT_EQ(added({1, 1, 24, 24}), 0);
}

// A number that weights are multiplied by is no weight; a mean of the input cannot be told from
// one.
TEST(OnnxNetworks, NumbersAreNotWeights) {
  Model model = model_of({node("Mul", {"w0", "half"}, "w"), node("MatMul", {"x", "w"}, "y")}, {8},
                         {{"w0", weights({8, 5})}, {"half", number(0.5)}});
  EXPECT_EQ(import(model).parameters(), 40);
}

TEST(OnnxNetworks, WhatTheInputIsShiftedByIsCountedAndNoted) {
  const Model model =
      model_of({node("Sub", {"x", "mean"}, "y")}, {3, 4, 4}, {{"mean", weights({3, 1, 1})}});
  Importer importer(model, "test", {}, 2);
  EXPECT_EQ(importer.run().parameters(), 3);
  EXPECT_EQ(importer.notes().of_input, 1);
}

Model with_einsum() {
  Model model =
      model_of({node("Relu", {"x"}, "r"), node("my.Einsum", {"r"}, "e"), node("Relu", {"e"}, "y")},
               {8, 4, 4});
  model.shapes["e"] = shape_of({std::nullopt, 6, 4, 4});
  return model;
}

TEST(OnnxNetworks, AnUnknownOperatorIsPricedByItsBytesWhereThatIsAskedFor) {
  ModelOverrides overrides;
  EXPECT_THAT(
      refusal(with_einsum(), overrides),
      HasSubstr("node \"/e\" (my.Einsum): the operator \"my.Einsum\" is not known; price it by "
                "its bytes with --skip-unknown"));
  overrides.skip_unknown = true;
  const Graph graph = import(with_einsum(), overrides);
  EXPECT_EQ(graph[2].kind->name, "opaque");
  EXPECT_EQ(to_text(graph[2].output), "6x4x4");
  EXPECT_EQ(graph[2].of(Pass::forward), (PassWork{0, 1, 1, 0}));
  EXPECT_EQ(std::get<std::string>(*graph.written[2].find("operator")), "my.Einsum");
}

TEST(OnnxNetworks, AnOperatorWhoseShapeIsNotKnownHasNoPrice) {
  ModelOverrides overrides;
  overrides.skip_unknown = true;
  Model model = with_einsum();
  model.shapes.clear();
  EXPECT_THAT(refusal(model, overrides), HasSubstr("the file does not say which shape \"e\" has"));
  overrides.input = parse_input_shape("8x5x5");
  EXPECT_THAT(refusal(with_einsum(), overrides), HasSubstr("in place of --input"));
}

// An operator that is known is never priced by its bytes alone, whatever its form.
TEST(OnnxNetworks, AnOperatorThatIsKnownIsNeverSkipped) {
  Model model = model_of({node("Transpose", {"x"}, "t"), node("MatMul", {"x", "t"}, "y")}, {8});
  model.shapes["y"] = shape_of({std::nullopt, 8});
  ModelOverrides overrides;
  overrides.skip_unknown = true;
  EXPECT_THAT(refusal(model, overrides),
              HasSubstr("(MatMul): it multiplies samples of the batch with each other"));
}

TEST(OnnxNetworks, WhatIsSkippedKeepsItsWeights) {
  Model model = model_of({node("my.Dense", {"x", "w"}, "y")}, {8}, {{"w", weights({8, 5})}});
  model.shapes["y"] = shape_of({std::nullopt, 5});
  ModelOverrides overrides;
  overrides.skip_unknown = true;
  EXPECT_EQ(import(model, overrides).parameters(), 40);
}

TEST(OnnxNetworks, TheBatchOfWhatIsSkippedIsNotGuessed) {
  Model model = with_einsum();
  model.shapes["e"] = shape_of({96, 4, 4});
  ModelOverrides overrides;
  overrides.skip_unknown = true;
  EXPECT_THAT(refusal(model, overrides),
              HasSubstr("the first axis of \"e\" is 96 and not the batch of 61"));
}

}  // namespace networks_test
}  // namespace oracle::onnx
