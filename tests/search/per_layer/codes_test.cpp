#include "oracle/search/per_layer/codes.h"

#include <gtest/gtest.h>

namespace oracle::per_layer {
namespace codes_test {

Shape image() {
  Shape shape;
  shape[Axis::channel] = 3;
  shape[Axis::height] = shape[Axis::width] = 32;
  return shape;
}

TEST(Codes, CountOneDigitPerAxis) {
  const Codes codes(image(), 2);
  EXPECT_EQ(codes.size(), 36U);
  EXPECT_EQ(codes.encode({State::sample, State::channel}), 2 + 6 * 3);
  EXPECT_EQ(codes.encode(Layout{}), 0);
}

TEST(Codes, AreReadBack) {
  Shape volume = image();
  volume[Axis::depth] = 32;
  const Codes codes(volume, 3);
  EXPECT_EQ(codes.size(), 343U);
  for (std::size_t code = 0; code < codes.size(); ++code) {
    EXPECT_EQ(codes.encode(codes.decode(static_cast<Code>(code))), code);
  }
}

TEST(Codes, JoinTakesTheFirstShardedStateElseAPartialSum) {
  const Codes codes(image(), 3);
  const Code first = codes.encode({State::sample, State::partial, State::replicated});
  const Code second = codes.encode({State::channel, State::height, State::partial});
  EXPECT_EQ(codes.decode(codes.join(first, second)),
            (Layout{State::sample, State::height, State::partial}));
  EXPECT_EQ(codes.decode(codes.join(second, first)),
            (Layout{State::channel, State::height, State::partial}));
}

}  // namespace codes_test
}  // namespace oracle::per_layer
