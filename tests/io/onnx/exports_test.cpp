// Networks as PyTorch exports them, against published figures and the files of models/.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/onnx/decode.h"
#include "oracle/io/onnx/onnx_reader.h"
#include "tests/io/onnx/export_files.h"

namespace oracle {
namespace exports_test {

struct Row {
  const char* name;
  std::int64_t parameters;  ///< published, see tests/data/onnx/README.md
};

constexpr Row kRows[] = {{"alexnet", 61'100'840},
                         {"vgg16", 138'357'544},
                         {"resnet50", 25'557'032},
                         {"mobilenet_v2", 3'504'872},
                         {"densenet121", 7'978'856}};

class OnnxExports : public testing::TestWithParam<Row> {
 protected:
  void SetUp() override {
    if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
    setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
    exported = load_model(export_file(GetParam().name).string());
    described = load_model(GetParam().name);
  }

  Graph exported;
  Graph described;
};

/// What a layer computes, by whatever name. Joining a, b and c is joining a with b and that with c.
std::string computed(const Layer& layer) {
  if (layer.kind->name == "concat") return "concat > " + to_text(layer.output);
  std::string text = std::string(layer.kind->name) + " " + std::string(layer.variant) + " " +
                     to_text(layer.input) + " > " + to_text(layer.output);
  for (const auto& axes : {layer.window.kernel, layer.window.stride, layer.window.pad_before,
                           layer.window.pad_after, layer.window.dilation}) {
    for (const std::int64_t extent : axes) text += " " + std::to_string(extent);
  }
  text += " groups " + std::to_string(layer.groups);
  for (const Weight& weight : layer.weights) {
    text += " " + weight.name + " " + std::to_string(weight.elements);
  }
  return text;
}

std::vector<std::string> all_computed(const Graph& graph) {
  std::vector<std::string> all;
  for (LayerId id = 0; id < graph.size(); ++id) {
    std::string text = computed(graph[id]) + " reads";
    std::vector<std::string> inputs;
    for (const LayerId input : graph[id].inputs) {
      if (graph[id].kind->name == "concat") break;
      inputs.push_back(computed(graph[input]));
    }
    std::sort(inputs.begin(), inputs.end());
    for (const std::string& input : inputs) text += " [" + input + "]";
    all.push_back(text);
  }
  // The order of a block's two branches is free.
  std::sort(all.begin(), all.end());
  return all;
}

TEST_P(OnnxExports, HaveThePublishedParameters) {
  EXPECT_EQ(exported.parameters(), GetParam().parameters);
}

TEST_P(OnnxExports, HaveTheMultiplyAddsOfTheDescribedNetwork) {
  EXPECT_EQ(exported.multiply_adds(), described.multiply_adds());
  EXPECT_GT(exported.multiply_adds(), 1e8);
  EXPECT_EQ(exported.flops(Pass::backward_weights), described.flops(Pass::backward_weights));
}

TEST_P(OnnxExports, ComputeLayerByLayerWhatIsDescribed) {
  EXPECT_EQ(exported.size(), described.size());
  EXPECT_EQ(all_computed(exported), all_computed(described));
}

INSTANTIATE_TEST_SUITE_P(All, OnnxExports, testing::ValuesIn(kRows),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(OnnxFiles, NameTheirWeightedLayersAsTorchvisionDoes) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  const Graph exported = load_onnx(export_file("resnet50"));
  for (const Layer& layer : load_model("resnet50").layers) {
    if (!layer.trainable()) continue;
    const bool there = std::any_of(exported.layers.begin(), exported.layers.end(),
                                   [&](const Layer& own) { return own.name == layer.name; });
    EXPECT_TRUE(there) << layer.name;
  }
}

TEST(OnnxFiles, TakeAnotherInput) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  setenv("ORACLE_DATA", ORACLE_SOURCE_DIR, 1);
  ModelOverrides overrides;
  overrides.input = parse_input_shape("3x256x192");
  const Graph exported = load_onnx(export_file("resnet50"), overrides);
  EXPECT_EQ(exported.multiply_adds(), load_model("resnet50", overrides).multiply_adds());
  EXPECT_EQ(exported.name, "resnet50");
}

TEST(OnnxFiles, FixTheirClassesAndTheirRank) {
  if (!onnx::available()) GTEST_SKIP() << "built without ONNX";
  ModelOverrides overrides;
  overrides.classes = 10;
  EXPECT_THROW(load_onnx(export_file("alexnet"), overrides), InputError);
  ModelOverrides volume;
  volume.input = parse_input_shape("3x64x64x64");
  EXPECT_THROW(load_onnx(export_file("alexnet"), volume), InputError);
}

TEST(OnnxFiles, ThatCannotBeReadAreNoInputErrors) {
  EXPECT_THROW(load_model("/nowhere/at/all.onnx"), EnvironmentError);
  EXPECT_THROW(load_onnx("/"), EnvironmentError);
}

TEST(OnnxFiles, NameThePackageWhereTheBuildLacksIt) {
  if (onnx::available()) GTEST_SKIP() << "built with ONNX";
  try {
    load_onnx(export_file("alexnet"));
    FAIL() << "it was read";
  } catch (const EnvironmentError& error) {
    EXPECT_NE(std::string(error.what()).find("libonnx-dev"), std::string::npos) << error.what();
  }
}

}  // namespace exports_test
}  // namespace oracle
