#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace embedding_test {

using testing::HasSubstr;

// BERT's table: 30,522 word pieces, 768 features.
TEST(Embedding, LooksRowsUp) {
  const Layer layer =
      one_layer("embedding", shape_of(1, {512}),
                {{"entries", std::int64_t{30'522}}, {"features", std::int64_t{768}}});
  EXPECT_EQ(to_text(layer.output), "768x512");
  EXPECT_EQ(layer.parameters(), 23'440'896);
  EXPECT_EQ(layer.flops(Pass::forward), 0);
  EXPECT_EQ(layer.of(Pass::backward_data), PassWork{});
  EXPECT_EQ(layer.flops(Pass::backward_weights), 768.0 * 512);
}

TEST(Embedding, TakesOneNumberAtEachPosition) {
  EXPECT_THAT(refusal("embedding", shape_of(3, {512}),
                      {{"entries", std::int64_t{10}}, {"features", std::int64_t{4}}}),
              HasSubstr("must be one number at each position"));
}

TEST(Affine, AddsATrainedTensor) {
  const Layer layer =
      one_layer("affine", shape_of(768, {197}), {{"elements", std::int64_t{151'296}}});
  EXPECT_EQ(layer.parameters(), 151'296);
  EXPECT_EQ(layer.flops(Pass::forward), 768.0 * 197);
  EXPECT_EQ(layer.of(Pass::backward_data), PassWork{});
  EXPECT_FALSE(layer.keeps_input);
  EXPECT_EQ(layer.weights.front().features_out, 768);
}

TEST(Affine, MultipliesByAValuePerChannel) {
  const Layer layer =
      one_layer("affine", shape_of(768, {197}), {{"operation", std::string("scale")}});
  EXPECT_EQ(layer.parameters(), 768);
  EXPECT_TRUE(layer.keeps_input);
  EXPECT_EQ(layer.flops(Pass::backward_weights), 2.0 * 768 * 197);
}

TEST(Affine, RepeatsAWholeNumberOfTimes) {
  EXPECT_THAT(refusal("affine", shape_of(768, {197}), {{"elements", std::int64_t{5}}}),
              HasSubstr("cannot be repeated to 768x197"));
}

}  // namespace embedding_test
}  // namespace oracle
