#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace activation_test {

using testing::HasSubstr;

Layer function(const std::string& name) {
  return one_layer("activation", shape_of(64, {112, 112}), {{"function", name}});
}

TEST(Activation, RunsInPlaceWhereTheOutputGivesTheDerivative) {
  for (const char* name :
       {"relu", "relu6", "leaky_relu", "sigmoid", "tanh", "elu", "exp", "sqrt"}) {
    const Layer layer = function(name);
    EXPECT_TRUE(layer.in_place && layer.keeps_output && !layer.keeps_input) << name;
    EXPECT_EQ(layer.of(Pass::backward_data).output_touches, 2) << name;
    EXPECT_EQ(layer.variant, name);
  }
}

TEST(Activation, KeepsItsInputOtherwise) {
  for (const char* name : {"silu", "hardswish", "hardsigmoid", "gelu", "erf", "power"}) {
    const Layer layer = function(name);
    EXPECT_TRUE(!layer.in_place && !layer.keeps_output && layer.keeps_input) << name;
    EXPECT_EQ(layer.of(Pass::backward_data).input_touches, 2) << name;
  }
}

TEST(Activation, OfAStraightLineKeepsNothing) {
  const Layer layer = function("linear");
  EXPECT_TRUE(layer.in_place && !layer.keeps_output && !layer.keeps_input);
  EXPECT_EQ(layer.of(Pass::backward_data), (PassWork{1, 1, 1, 0}));
}

TEST(Activation, ReluIsOneOperationPerElement) {
  EXPECT_EQ(one_layer("activation", shape_of(64, {112, 112})).flops(Pass::forward), 802816.0);
  EXPECT_EQ(function("relu").mixing, Mixing::channelwise);
  EXPECT_EQ(function("relu").reach, Reach::pointwise);
}

TEST(Activation, SuggestsTheFunctionThatWasMeant) {
  EXPECT_THAT(refusal("activation", shape_of(1), {{"function", std::string("relo")}}),
              HasSubstr("did you mean \"relu\"?"));
}

}  // namespace activation_test
}  // namespace oracle
