#include "oracle/io/models/model_reader.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "oracle/io/models/model_writer.h"
#include "tests/io/models/model_text.h"

namespace oracle {
namespace model_reader_test {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names_of(const Graph& graph) {
  std::vector<std::string> names;
  for (const Layer& layer : graph.layers) names.push_back(layer.name);
  return names;
}

const Layer& layer_called(const Graph& graph, std::string_view name) {
  const auto found = std::find_if(graph.layers.begin(), graph.layers.end(),
                                  [&](const Layer& layer) { return layer.name == name; });
  if (found == graph.layers.end()) throw Defect("no layer of that name");
  return *found;
}

constexpr const char* kBlocks = R"({
  "conv_relu": {"parameters": ["width"], "layers": [
    {"name": "conv", "kind": "convolution", "features": "$width", "kernel": 3, "pad": 1},
    {"name": "relu", "kind": "activation"}]},
  "residual": {"parameters": ["width"], "layers": [
    {"name": "a", "block": "conv_relu", "width": "$width"},
    {"name": "b", "block": "conv_relu", "width": "2*$width/2"},
    {"name": "add", "kind": "add", "from": ["b", "a"]}]}
})";

constexpr const char* kTail = R"(
  {"name": "flatten", "kind": "flatten"},
  {"name": "fc", "kind": "dense", "features": "$classes"},
  {"name": "loss", "kind": "softmax_loss"})";

TEST(ModelReader, ExpandsBlocksAndPrefixesTheirNames) {
  const Graph graph = read_text(model_text(
      std::string(R"({"name": "stage", "block": "residual", "width": 4},)") + kTail, kBlocks));
  EXPECT_THAT(names_of(graph), ElementsAre("input", "stage.a.conv", "stage.a.relu", "stage.b.conv",
                                           "stage.b.relu", "stage.add", "flatten", "fc", "loss"));
  // "a" and "b" mean the last layers of these uses.
  EXPECT_THAT(layer_called(graph, "stage.add").inputs, ElementsAre(4, 2));
  EXPECT_EQ(layer_called(graph, "fc").output.channels(), 10);
}

TEST(ModelReader, RepeatsABlockAndCountsInItsNameAndArguments) {
  const Graph graph = read_text(model_text(
      std::string(
          R"({"name": "c$i", "block": "conv_relu", "repeat": 3, "first": 2, "width": "8*$i"},)") +
          kTail,
      kBlocks));
  EXPECT_EQ(layer_called(graph, "c2.conv").output.channels(), 16);
  EXPECT_EQ(layer_called(graph, "c3.conv").output.channels(), 24);
  EXPECT_EQ(layer_called(graph, "c4.conv").input.channels(), 24);
  EXPECT_EQ(graph.size(), 1U + 6 + 3);
}

TEST(ModelReader, CallsInputWhatTheScopeReads) {
  const char* blocks = R"({"skip": {"layers": [
      {"name": "norm", "kind": "batch_norm"},
      {"name": "add", "kind": "add", "from": ["norm", "input"]}]}})";
  const Graph graph = read_text(
      model_text(std::string(R"({"name": "one", "block": "skip"}, {"name": "two", "block": "skip"},
                     {"name": "join", "kind": "concat", "from": ["two", "input"]},)") +
                     kTail,
                 blocks));
  EXPECT_THAT(layer_called(graph, "two.add").inputs, ElementsAre(3, 2));
  EXPECT_THAT(layer_called(graph, "join").inputs, ElementsAre(4, 0));
}

TEST(ModelReader, FindsNamesOutwardsFromAScope) {
  const char* blocks = R"({"use": {"layers": [
      {"name": "add", "kind": "add", "from": ["input", "stem"]}]}})";
  const Graph graph = read_text(model_text(
      std::string(R"({"name": "stem", "kind": "batch_norm"}, {"name": "relu", "kind": "activation"},
                     {"name": "x", "block": "use"},)") +
          kTail,
      blocks));
  EXPECT_THAT(layer_called(graph, "x.add").inputs, ElementsAre(2, 1));
}

TEST(ModelReader, KnowsTheClassesInEveryBlock) {
  const char* blocks = R"({"head": {"layers": [
      {"name": "flatten", "kind": "flatten"},
      {"name": "fc", "kind": "dense", "features": "$classes"},
      {"name": "loss", "kind": "softmax_loss"}]}})";
  ModelOverrides overrides;
  overrides.classes = 7;
  const Graph graph =
      read_text(model_text(R"({"name": "head", "block": "head"})", blocks), overrides);
  EXPECT_EQ(layer_called(graph, "head.fc").output.channels(), 7);
}

TEST(ModelReader, ReadsTheWorkedFigureOfItsPage) {
  const Graph graph = load_model("resnet50");
  EXPECT_EQ(graph.size(), 177U);
  EXPECT_EQ(graph.parameters(), 25557032);
  EXPECT_EQ(layer_called(graph, "layer3.5.conv2").output[Axis::height], 14);
  EXPECT_FALSE(graph.description.empty());
  EXPECT_EQ(graph.sources.size(), 2U);
}

TEST(ParseInputShape, TakesChannelsAndUpToThreeExtents) {
  EXPECT_EQ(to_text(parse_input_shape("3x224x224")), "3x224x224");
  EXPECT_EQ(parse_input_shape("4x128x64x32")[Axis::depth], 128);
  EXPECT_EQ(parse_input_shape("1x16000")[Axis::width], 16000);
  EXPECT_EQ(parse_input_shape("429").elements(), 429);
}

TEST(ParseInputShape, RefusesEverythingElse) {
  for (const char* text : {"", "x", "3x", "3x224x", "3 x224", "-3x4", "0x4", "3x4x5x6x7", "3X4",
                           "3x99999999999999999999", "3x2.5"}) {
    EXPECT_THROW(parse_input_shape(text), InputError) << text;
  }
}

TEST(Overrides, ChangeTheInputAndDropThePublishedFigures) {
  ModelOverrides overrides;
  overrides.input = parse_input_shape("3x226x226");
  const Graph graph = load_model("vgg16", overrides);
  // 226 → 113 → 56 → 28 → 14 → 7
  EXPECT_EQ(to_text(layer_called(graph, "pool1").output), "64x113x113");
  EXPECT_EQ(to_text(layer_called(graph, "pool5").output), "512x7x7");
  EXPECT_EQ(graph.parameters(), 138357544);
  EXPECT_EQ(graph.published.parameters, 0);
}

TEST(Overrides, ChangeTheClasses) {
  ModelOverrides overrides;
  overrides.classes = 10;
  // fc: 512·10 + 10 in place of 512·1000 + 1000
  EXPECT_EQ(load_model("resnet18", overrides).parameters(), 11689512 - 513000 + 5130);
}

TEST(Overrides, RefuseWhatTheNetworkCannotTake) {
  const auto with_input = [](const char* text) {
    ModelOverrides overrides;
    overrides.input = parse_input_shape(text);
    return refusal_of_text(model_text(kTail), overrides);
  };
  EXPECT_THAT(with_input("4x8x8x8"), HasSubstr("--input: the network takes CxHxW and not 4x8x8x8"));
  EXPECT_THAT(with_input("4x8"), HasSubstr("takes CxHxW"));
  EXPECT_EQ(with_input("4x1x1"), "");
  EXPECT_THAT(with_input("4x1x8x8"),
              HasSubstr("takes CxHxW and not 4x1x8x8; write channels and 2"));
  ModelOverrides overrides;
  overrides.classes = 0;
  EXPECT_THAT(refusal_of_text(model_text(kTail), overrides),
              HasSubstr("--classes: 0 is out of range"));
  overrides.classes = 5;
  EXPECT_THROW(load_model("cosmoflow", overrides), InputError);
}

TEST(Overrides, SayWhichInputWasMeant) {
  const auto refusal_of = [](const char* model, const char* text) -> std::string {
    ModelOverrides overrides;
    overrides.input = parse_input_shape(text);
    try {
      load_model(model, overrides);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(refusal_of("resnet50", "224"),
            "--input: the network takes CxHxW and not 224; did you mean 3x224x224?");
  EXPECT_EQ(refusal_of("resnet50", "256x192"),
            "--input: the network takes CxHxW and not 256x192; did you mean 3x256x192?");
  EXPECT_EQ(refusal_of("resnet50", "256x192x3"),
            "--input: the network takes CxHxW and not 256x192x3, channels last; did you mean "
            "3x256x192?");
  EXPECT_EQ(refusal_of("cosmoflow", "256"),
            "--input: the network takes CxDxHxW and not 256; did you mean 4x256x256x256?");
  EXPECT_EQ(refusal_of("cd_dnn", "3x64"),
            "--input: the network takes C and not 3x64; write one number");
  EXPECT_EQ(refusal_of("resnet50", "3x224x3"), "");
}

TEST(ModelReader, LetsALayerUseAnEarlierOnesWeight) {
  const std::string tied = model_text(
      R"({"name": "a", "kind": "convolution", "features": 3, "kernel": 3, "pad": 1, "bias": false},
         {"name": "b", "kind": "convolution", "features": 3, "kernel": 3, "pad": 1, "bias": false,
          "shares": {"weight": "a"}},
         {"name": "loss", "kind": "softmax_loss"})");
  const Graph graph = read_text(tied);
  EXPECT_EQ(graph.parameters(), 81);
  EXPECT_EQ(graph[2].weights[0].owner, 1U);
  EXPECT_EQ(read_text(write_model(graph))[2].weights, graph[2].weights);
  const std::string unknown = std::string(tied).replace(tied.find("\"a\"}"), 3, "\"z\"");
  EXPECT_THAT(refusal_of_text(unknown), testing::HasSubstr("no layer before it is called \"z\""));
  const std::string other =
      std::string(tied).replace(tied.find("\"weight\": \"a\""), 8, "\"gamma\"");
  EXPECT_THAT(refusal_of_text(other), testing::HasSubstr("has no weight \"gamma\""));
}

}  // namespace model_reader_test
}  // namespace oracle
