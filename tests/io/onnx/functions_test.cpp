#include "oracle/io/onnx/functions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/io/onnx/written_model.h"

namespace oracle::onnx {
namespace functions_test {

using testing::ElementsAre;

/// A model that calls "f" twice, which is a Conv and a Relu.
Model with_function() {
  Model model = model_of({node("f", {"x", "w"}, "a"), node("f", {"a", "v"}, "y")}, {3, 8, 8},
                         {{"w", weights({4, 3, 3, 3})}, {"v", weights({5, 4, 3, 3})}});
  Attribute stride = list("strides", {});
  stride.refers_to = "step";
  model.functions["f"] = {
      {"in", "weight"},
      {"out"},
      {node("Conv", {"in", "weight"}, "t", {stride}), node("Relu", {"t"}, "out")}};
  return model;
}

TEST(OnnxFunctions, AreReplacedByTheirNodes) {
  Model model = with_function();
  inline_functions(model);
  ASSERT_EQ(model.nodes.size(), 4U);
  EXPECT_EQ(model.nodes[0].type, "Conv");
  EXPECT_THAT(model.nodes[0].inputs, ElementsAre("x", "w"));
  EXPECT_EQ(model.nodes[1].outputs.front(), "a");
  EXPECT_NE(model.nodes[0].outputs.front(), model.nodes[2].outputs.front());
  EXPECT_EQ(import(model).parameters(), 4 * 27 + 5 * 36);
}

TEST(OnnxFunctions, TakeTheAttributesOfTheirCall) {
  Model model = with_function();
  model.nodes[0].attributes.push_back(list("step", {2, 2}));
  inline_functions(model);
  EXPECT_EQ(model.nodes[0].find("strides")->integers, (Integers{2, 2}));
  EXPECT_EQ(model.nodes[2].find("strides"), nullptr);
}

TEST(OnnxFunctions, MayNotCallThemselves) {
  Model model = with_function();
  model.functions["f"].nodes.push_back(node("f", {"in", "weight"}, "again"));
  EXPECT_THROW(inline_functions(model), InputError);
  // Each calls the next twice: 2^31 calls.
  Model many = with_function();
  many.functions.clear();
  for (int i = 0; i < 31; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    many.functions[i == 0 ? "f" : "f" + std::to_string(i)] = {
        {"in", "weight"}, {"out"}, {node(next, {"in"}, "a"), node(next, {"in"}, "out")}};
  }
  many.functions["f31"] = {{"in"}, {"out"}, {}};
  EXPECT_THROW(inline_functions(many), InputError);
}

}  // namespace functions_test
}  // namespace oracle::onnx
