#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/graph/one_layer.h"

namespace oracle {
namespace recurrent_test {

using testing::HasSubstr;

Attributes cell(const char* name, std::int64_t features, std::int64_t directions = 1) {
  return {{"cell", std::string(name)}, {"features", features}, {"directions", directions}};
}

TEST(Recurrent, WorkedNumber) {
  const Layer layer = one_layer("recurrent", shape_of(24, {20}), cell("lstm", 32));
  EXPECT_EQ(to_text(layer.output), "32x20");
  EXPECT_EQ(layer.parameters(), 4 * 32 * (24 + 32 + 2));  // 7,424
  EXPECT_EQ(layer.multiply_adds(), 143'360);              // 20 tokens · 4·32·(24 + 32)
  EXPECT_EQ(layer.steps, 20);
}

TEST(Recurrent, CellsDifferInTheirGates) {
  EXPECT_EQ(one_layer("recurrent", shape_of(24, {20}), cell("gru", 32)).parameters(),
            3 * 32 * (24 + 32 + 2));
  EXPECT_EQ(one_layer("recurrent", shape_of(24, {20}), cell("rnn", 32)).multiply_adds(),
            20 * 32 * (24 + 32));
}

TEST(Recurrent, RunsBothWays) {
  const Layer layer = one_layer("recurrent", shape_of(24, {20}), cell("lstm", 32, 2));
  EXPECT_EQ(to_text(layer.output), "64x20");
  EXPECT_EQ(layer.parameters(), 2 * 7'424);
  EXPECT_EQ(layer.multiply_adds(), 2 * 143'360);
  EXPECT_THAT(refusal("recurrent", shape_of(24, {20}), cell("lstm", 32, 3)),
              HasSubstr("\"directions\" must be 1 or 2"));
}

TEST(Recurrent, PeepholesAreAnLstms) {
  Attributes seeing = cell("lstm", 32);
  seeing.set("peepholes", true);
  EXPECT_EQ(one_layer("recurrent", shape_of(24, {20}), seeing).parameters(), 7'424 + 3 * 32);
  seeing = cell("gru", 32);
  seeing.set("peepholes", true);
  EXPECT_THAT(refusal("recurrent", shape_of(24, {20}), seeing), HasSubstr("are an LSTM's"));
}

/// Of an LSTM five values of fp32 are kept for each output, four gates and the cell; backward holds
/// the gradients of four sums of one direction, and what a token hands to the next.
TEST(Recurrent, KeepsItsGatesAndHoldsTheirGradients) {
  const Layer one = one_layer("recurrent", shape_of(24, {20}), cell("lstm", 32));
  EXPECT_EQ(one.mask_bytes_per_output, 20);
  EXPECT_DOUBLE_EQ(one.scratch_bytes_per_output[0] * 20, 4);  // a state
  EXPECT_DOUBLE_EQ(one.scratch_bytes_per_output[1], 16 + 8.0 / 20);
  const Layer both = one_layer("recurrent", shape_of(24, {20}), cell("gru", 32, 2));
  EXPECT_EQ(both.mask_bytes_per_output, 16);
  EXPECT_DOUBLE_EQ(both.scratch_bytes_per_output[2], (16 + 4.0 / 20) / 2);
  EXPECT_FALSE(one.has_filters());
}

}  // namespace recurrent_test
}  // namespace oracle
