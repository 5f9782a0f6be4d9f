#include <gtest/gtest.h>
#include <numeric>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace dropout_test {

using reference::Values;

struct Dropped {
  Values y, dx;
};

/// Dropout of ones, and its gradient of ones.
Dropped drop(const LocalLayer& layer, std::uint64_t seed, std::uint64_t number = 0) {
  const auto backend = backend_under_test();
  Values ones(layer.output);
  ones.of.assign(ones.of.size(), 1.0);
  const auto x = tensor_of(*backend, ones);
  const auto dy = tensor_of(*backend, ones);
  const auto y = backend->tensor(layer.output);
  const auto dx = backend->tensor(layer.output);
  const auto kernel = backend->kernel(layer);
  const auto saved = kernel->saved();
  const std::vector<Tensor*> inputs = {x.get()};
  const std::vector<Tensor*> gradients = {dx.get()};
  Call call;
  call.inputs = inputs;
  call.output = y.get();
  call.output_gradient = dy.get();
  call.input_gradients = gradients;
  call.saved = saved.get();
  call.seed = seed;
  call.layer = number;
  kernel->forward(call);
  kernel->backward_data(call);
  return {values_of(*y), values_of(*dx)};
}

TEST(Dropout, KeepsHalfAndDoublesIt) {
  const OneLayer one("dropout", {1, 64, 1, 16, 16});
  const Dropped dropped = drop(one.whole(4), 7);
  std::size_t kept = 0;
  for (const double value : dropped.y.of) {
    ASSERT_TRUE(value == 0 || value == 2) << value;
    kept += value == 2 ? 1 : 0;
  }
  // 65,536 draws: five standard deviations of 128.
  EXPECT_NEAR(static_cast<double>(kept), 32768, 640);
  EXPECT_EQ(dropped.dx.of, dropped.y.of);
}

TEST(Dropout, DrawsAnewWithTheSeed) {
  const OneLayer one("dropout", {1, 64, 1, 1, 1});
  EXPECT_EQ(drop(one.whole(4), 1).y.of, drop(one.whole(4), 1).y.of);
  EXPECT_NE(drop(one.whole(4), 1).y.of, drop(one.whole(4), 2).y.of);
}

TEST(Dropout, DrawsAnewWithTheLayersNumber) {
  const OneLayer one("dropout", {1, 64, 1, 1, 1});
  EXPECT_EQ(drop(one.whole(4), 1, 3).y.of, drop(one.whole(4), 1, 3).y.of);
  EXPECT_NE(drop(one.whole(4), 1, 3).y.of, drop(one.whole(4), 1, 2).y.of);
}

TEST(Dropout, APieceDrawsWhatTheWholeDraws) {
  for (const std::int64_t channels : {16, 5}) {
    const OneLayer one("dropout", {1, channels, 2, 6, 4});
    LocalLayer piece = one.whole(4);
    const Values whole = drop(piece, 3).y;
    piece.place = {1, 2, 1, 2, 1};
    piece.inputs[0] = piece.output = {2, 3, 1, 3, 2};
    const Values part = drop(piece, 3).y;
    for (std::int64_t n = 0; n < 2; ++n) {
      for (std::int64_t c = 0; c < 3; ++c) {
        for (std::int64_t h = 0; h < 3; ++h) {
          for (std::int64_t w = 0; w < 2; ++w) {
            const std::int64_t position = ((0 + 1) * 6 + h + 2) * 4 + w + 1;
            EXPECT_EQ(part.at(n, c, h * 2 + w), whole.at(n + 1, c + 2, position));
          }
        }
      }
    }
  }
}

}  // namespace dropout_test
}  // namespace oracle
