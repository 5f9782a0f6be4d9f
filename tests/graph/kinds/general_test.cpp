// Kinds for the operators that no other has.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace general_kinds_test {

using testing::HasSubstr;

Attributes output(std::int64_t features, std::int64_t extent) {
  return {{"features", features}, {"extents", extent}};
}

/// A layer of `kind` that reads an input and a part of it of `features` features.
Layer of_two(std::string_view kind, const Shape& input, std::int64_t features,
             const Attributes& attributes = {}) {
  GraphBuilder builder("two");
  const LayerId read = builder.input(input);
  const LayerId part = builder.add("part", "slice", {read}, {{"features", features}});
  return builder.so_far()[builder.add("layer", kind, {read, part}, attributes)];
}

TEST(Elementwise, CountsAnOperationForEachElementAndInput) {
  const Layer layer = of_two("elementwise", shape_of(16, {8, 8}), 16);
  EXPECT_EQ(layer.flops(Pass::forward), 2'048);
  EXPECT_EQ(layer.of(Pass::forward), (PassWork{2, 2, 1, 0}));
  EXPECT_EQ(layer.of(Pass::backward_data), (PassWork{2, 4, 1, 0}));
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_EQ(layer.reach, Reach::pointwise);
}

TEST(Elementwise, OfInputsThatAreRepeatedIsNotPartitioned) {
  const Layer layer = of_two("elementwise", shape_of(16, {8, 8}), 1);
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.reach, Reach::whole);
  EXPECT_EQ(layer.of(Pass::forward).input_touches * 1'024, 1'024 + 64);
}

TEST(Movement, WritesItsOutputAndReadsAsMuch) {
  const Layer layer = of_two("movement", shape_of(16, {20}), 16, output(16, 40));
  EXPECT_EQ(to_text(layer.output), "16x40");
  EXPECT_EQ(layer.of(Pass::forward).output_touches * 640, 1'280);
  EXPECT_EQ(layer.of(Pass::backward_data).input_touches * 320 + 640, 1'280);
  EXPECT_EQ(layer.flops(Pass::forward), 0);
}

TEST(Reduction, CountsAnOperationForEachElementOfItsInput) {
  const Layer layer = one_layer("reduction", shape_of(16, {20}), output(16, 1));
  EXPECT_EQ(to_text(layer.output), "16");
  EXPECT_EQ(layer.flops(Pass::forward), 320);
  const PassWork& work = layer.of(Pass::forward);
  EXPECT_EQ(work.input_touches * 320 + work.output_touches * 16, 336);
  EXPECT_EQ(layer.mixing, Mixing::channelwise);
  EXPECT_THAT(refusal("reduction", shape_of(16, {20}), output(16, 3)),
              HasSubstr("cannot be reduced to"));
}

TEST(FurtherInput, CostsNothing) {
  const Layer layer = one_layer("further_input", shape_of(1, {32}), output(4, 8));
  EXPECT_EQ(to_text(layer.output), "4x8");
  for (const Pass pass : {Pass::forward, Pass::backward_data}) {
    EXPECT_EQ(layer.of(pass), PassWork{});
  }
}

TEST(Outputs, HandOnTheFirst) {
  const Layer layer = of_two("outputs", shape_of(16, {6, 6}), 4);
  EXPECT_EQ(to_text(layer.output), "16x6x6");
  EXPECT_EQ(layer.of(Pass::forward), PassWork{});
}

// A part of a table: 2,048 elements are read of 32,768 that are stored.
TEST(StoredWeights, AreAsManyAsTheyAreStored) {
  const Attributes shift{{"elements", std::int64_t{2'048}}, {"stored", std::int64_t{32'768}}};
  const Layer layer = one_layer("affine", shape_of(64, {32}), shift);
  EXPECT_EQ(layer.parameters(), 32'768);
  EXPECT_TRUE(layer.stored_otherwise);
  const Attributes fixed{{"features", std::int64_t{5}}, {"stored", std::int64_t{0}}};
  EXPECT_FALSE(one_layer("dense", shape_of(8), fixed).trainable());
  const Attributes repeated{{"features", std::int64_t{5}}, {"stored", std::int64_t{9}}};
  EXPECT_EQ(one_layer("dense", shape_of(8), repeated).parameters(), 9);
  const Attributes same{{"features", std::int64_t{5}}, {"stored", std::int64_t{45}}};
  EXPECT_FALSE(one_layer("dense", shape_of(8), same).stored_otherwise);
  EXPECT_THAT(refusal("dense", shape_of(8), {{"features", std::int64_t{5}}, {"stored", true}}),
              HasSubstr("\"stored\" must be a number of weights"));
}

TEST(StoredWeights, CountAgainstTheParametersOfTheNetwork) {
  GraphBuilder builder("stored");
  const LayerId input = builder.input(shape_of(8));
  const LayerId layer = builder.add("fc", "dense", {input}, {{"features", std::int64_t{4}}});
  builder.store(layer, 100);
  EXPECT_EQ(builder.so_far().parameters(), 100);
  EXPECT_NE(builder.so_far().written[layer].find("stored"), nullptr);
}

}  // namespace general_kinds_test
}  // namespace oracle
