#include "oracle/io/onnx/naming.h"

#include <gtest/gtest.h>

namespace oracle::onnx {
namespace naming_test {

Node named(const std::string& name) {
  Node node;
  node.name = name;
  node.type = "Relu";
  return node;
}

TEST(OnnxNaming, JoinsTheModulesOfAnExporter) {
  EXPECT_EQ(layer_name(named("/layer1/layer1.0/relu/Relu"), ""), "layer1.0.relu.Relu");
  EXPECT_EQ(layer_name(named("/features/features.1/conv/conv.0/conv.0.2/Clip"), ""),
            "features.1.conv.0.2.Clip");
  EXPECT_EQ(layer_name(named("/a/ab/Relu"), ""), "a.ab.Relu");
}

TEST(OnnxNaming, PrefersTheNameOfTheWeight) {
  EXPECT_EQ(layer_name(named("/conv1/Conv"), "layer1.0.conv1.weight"), "layer1.0.conv1");
  EXPECT_EQ(layer_name(named("/conv1/Conv"), "onnx::Conv_497"), "conv1.Conv");
  EXPECT_EQ(layer_name(named("/conv1/Conv"), ".weight"), "conv1.Conv");
}

TEST(OnnxNaming, LeavesNothingThatAStrategyCannotName) {
  EXPECT_EQ(layer_name(named("a=b;\n\"c\""), ""), "a_b___c_");
  EXPECT_EQ(layer_name(named(""), ""), "Relu");
  EXPECT_EQ(layer_name(named("///"), ""), "Relu");
  EXPECT_EQ(layer_name(Node{}, ""), "node");
}

TEST(OnnxNaming, CountsNamesThatComeAgain) {
  std::unordered_map<std::string, int> taken;
  EXPECT_EQ(unique_name("relu", taken), "relu");
  EXPECT_EQ(unique_name("relu_3", taken), "relu_3");
  EXPECT_EQ(unique_name("relu", taken), "relu_2");
  EXPECT_EQ(unique_name("relu", taken), "relu_4");
}

}  // namespace naming_test
}  // namespace oracle::onnx
