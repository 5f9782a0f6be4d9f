#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace opaque_test {

using testing::HasSubstr;

TEST(Opaque, StreamsItsTensorsOnceAPassAndComputesNothing) {
  const Layer layer = one_layer("opaque", shape_of(64, {28, 28}),
                                {{"features", std::int64_t{10}}, {"extents", std::int64_t{14}}});
  EXPECT_EQ(to_text(layer.output), "10x14x14");
  for (const Pass pass : {Pass::forward, Pass::backward_data}) {
    const PassWork& work = layer.of(pass);
    // 64·28·28 + 10·14·14
    EXPECT_EQ(work.input_touches * 50'176 + work.output_touches * 1'960, 52'136);
    EXPECT_EQ(layer.flops(pass), 0);
  }
  EXPECT_EQ(layer.flops(Pass::backward_weights), 0);
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_EQ(layer.mixing, Mixing::whole);
  EXPECT_EQ(layer.reach, Reach::whole);
}

TEST(Opaque, ReadsEachOfItsInputs) {
  GraphBuilder builder("two");
  const LayerId input = builder.input(shape_of(8, {4, 4}));
  const LayerId half = builder.add("half", "slice", {input}, {{"features", std::int64_t{4}}});
  const Layer layer = builder.so_far()[builder.add("join", "opaque", {input, half})];
  EXPECT_EQ(layer.of(Pass::forward), (PassWork{0, 1.5, 1, 0}));  // 128 + 64 of 128
}

TEST(Opaque, IsCalledByAWord) {
  EXPECT_THAT(refusal("opaque", shape_of(8), {{"operator", std::int64_t{3}}}),
              HasSubstr("\"operator\" must be a word"));
  EXPECT_EQ(refusal("opaque", shape_of(8), {{"operator", std::string("Einsum")}}), "");
}

}  // namespace opaque_test
}  // namespace oracle
