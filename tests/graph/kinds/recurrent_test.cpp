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

}  // namespace recurrent_test
}  // namespace oracle
