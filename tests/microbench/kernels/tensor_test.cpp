#include <gtest/gtest.h>
#include <numeric>

#include "tests/microbench/kernels/harness.h"

namespace oracle {
namespace tensor_test {

using reference::Values;

/// 0, 1, 2, … and again from 0 after 127: numbers that every element type holds, doubled too.
Values counting(const Extents& extents) {
  Values values(extents);
  for (std::size_t i = 0; i < values.of.size(); ++i) values.of[i] = static_cast<double>(i % 128);
  return values;
}

/// A box as it is exchanged.
std::vector<std::byte> packed(const Backend& backend, const Tensor& tensor, const Box& box) {
  const auto count = static_cast<std::size_t>(box.size.elements());
  std::vector<std::byte> bytes(count * element_bytes(backend.element()));
  tensor.pack(box, bytes.data());
  return bytes;
}

std::vector<double> read(const Tensor& tensor, const Box& box) {
  std::vector<float> values(static_cast<std::size_t>(box.size.elements()));
  tensor.read(box, values.data());
  return {values.begin(), values.end()};
}

TEST(Tensor, PacksABoxOfChannels) {
  const auto backend = backend_under_test();
  const auto tensor = tensor_of(*backend, counting({1, 4, 1, 2, 2}));
  const Box box{{0, 2, 0, 0, 0}, {1, 2, 1, 2, 2}};
  EXPECT_EQ(read(*tensor, box), (std::vector<double>{8, 9, 10, 11, 12, 13, 14, 15}));
  const auto other = backend->tensor(box.size);
  const Box all{{0, 0, 0, 0, 0}, box.size};
  other->unpack(all, packed(*backend, *tensor, box).data());
  EXPECT_EQ(read(*other, all), read(*tensor, box));
}

struct Channels {
  std::int64_t of, first, count;
};

/// Whole blocks, from the first channel, a whole block on and in between; parts of one block, of
/// several, and fewer than any format has side by side.
TEST(Tensor, ChannelsTravelBetweenUnlikeFormats) {
  const auto backend = backend_under_test();
  for (const auto& [channels, first, count] : {Channels{17, 0, 16},
                                               {17, 1, 16},
                                               {32, 0, 16},
                                               {32, 8, 16},
                                               {32, 16, 16},
                                               {16, 8, 8},
                                               {24, 12, 12},
                                               {48, 5, 40},
                                               {32, 20, 9},
                                               {17, 3, 9},
                                               {32, 14, 5}}) {
    const Box all{{0, 0, 0, 0, 0}, {2, count, 1, 3, 2}};
    const Box box{{0, first, 0, 0, 1}, all.size};
    SCOPED_TRACE(std::to_string(count) + " of " + std::to_string(channels) + " channels from " +
                 std::to_string(first));
    for (const bool blocks : {false, true}) {
      const auto from = tensor_of(*backend, counting({2, channels, 1, 3, 4}));
      const auto to = blocks ? backend->tensor_between_layers(all.size) : backend->tensor(all.size);
      to->unpack(all, packed(*backend, *from, box).data());
      EXPECT_EQ(read(*to, all), read(*from, box));
      from->accumulate(box, packed(*backend, *to, all).data());
      std::vector<double> twice = read(*to, all);
      for (double& value : twice) value *= 2;
      EXPECT_EQ(read(*from, box), twice);
    }
  }
}

/// What a box of a tensor of such values holds, in plain order.
std::vector<double> box_of(const Values& values, const Extents& all, const Box& box) {
  std::vector<double> expected;
  for (std::int64_t n = 0; n < box.size.samples; ++n) {
    for (std::int64_t c = 0; c < box.size.channels; ++c) {
      for (std::int64_t d = 0; d < box.size.depth; ++d) {
        for (std::int64_t h = 0; h < box.size.height; ++h) {
          for (std::int64_t w = 0; w < box.size.width; ++w) {
            const std::int64_t row = (box.begin.depth + d) * all.height + box.begin.height + h;
            expected.push_back(values.at(box.begin.samples + n, box.begin.channels + c,
                                         row * all.width + box.begin.width + w));
          }
        }
      }
    }
  }
  return expected;
}

/// Whatever of a box lies together: all, and all but a part of one extent and what is outside it.
TEST(Tensor, BoxesTravelWhateverOfThemLiesTogether) {
  const auto backend = backend_under_test();
  for (const std::int64_t channels : {48, 40, 5, 1}) {
    const Extents all{3, channels, 2, 3, 4};
    const Values values = counting(all);
    const auto from = tensor_of(*backend, values);
    const std::int64_t block = std::gcd(channels, 16);
    for (const Box& box : {Box{{0, 0, 0, 0, 0}, all}, Box{{1, 0, 0, 0, 0}, {2, channels, 2, 3, 4}},
                           Box{{0, channels - block, 0, 0, 0}, {3, block, 2, 3, 4}},
                           Box{{0, 0, 1, 0, 0}, {3, channels, 1, 3, 4}},
                           Box{{0, 0, 0, 1, 0}, {3, channels, 2, 2, 4}},
                           Box{{0, 0, 0, 0, 1}, {3, channels, 2, 3, 3}},
                           Box{{1, 0, 1, 2, 0}, {1, channels, 1, 1, 4}},
                           Box{{0, 0, 1, 2, 3}, {3, channels, 1, 1, 1}}}) {
      SCOPED_TRACE(std::to_string(channels) + " channels, " + std::to_string(box.size.elements()) +
                   " values");
      const std::vector<double> expected = box_of(values, all, box);
      const auto to = tensor_of(*backend, Values(all));
      to->unpack(box, packed(*backend, *from, box).data());
      const Values arrived = values_of(*to);
      EXPECT_EQ(box_of(arrived, all, box), expected);
      EXPECT_EQ(std::accumulate(arrived.of.begin(), arrived.of.end(), 0.0),
                std::accumulate(expected.begin(), expected.end(), 0.0));
    }
  }
}

class TensorFormats : public testing::TestWithParam<Extents> {};

TEST_P(TensorFormats, BoxesComeAndGo) {
  const auto backend = backend_under_test();
  const Values values = counting(GetParam());
  const auto tensor = tensor_of(*backend, values);
  EXPECT_EQ(values_of(*tensor).of, values.of);

  const Box box{{1, 1, 1, 0, 2}, {1, 2, 1, 3, 2}};
  std::vector<double> expected = box_of(values, GetParam(), box);
  EXPECT_EQ(read(*tensor, box), expected);

  tensor->accumulate(box, packed(*backend, *tensor, box).data());
  for (double& value : expected) value *= 2;
  EXPECT_EQ(read(*tensor, box), expected);
  const double total = std::accumulate(values.of.begin(), values.of.end(), 0.0);
  const double added = std::accumulate(expected.begin(), expected.end(), 0.0) / 2;
  const Values after = values_of(*tensor);
  EXPECT_EQ(std::accumulate(after.of.begin(), after.of.end(), 0.0), total + added);
}

INSTANTIATE_TEST_SUITE_P(All, TensorFormats,
                         testing::Values(Extents{2, 16, 2, 3, 4}, Extents{2, 5, 2, 3, 4},
                                         Extents{2, 32, 3, 4, 5}));

TEST(Tensor, AddsTensorsOfUnlikeFormats) {
  const auto backend = backend_under_test();
  const OneLayer one("convolution", {1, 16, 1, 4, 4}, {{"features", 21}, {"kernel", 1}});
  const reference::Trial trial = random_trial(one.whole(2));
  const auto kernel = backend->kernel(trial.layer);
  const auto weights = backend->weights(trial.layer);
  write_weights(*weights, trial.weights);
  const auto x = tensor_of(*backend, trial.inputs[0]);
  const auto blocked = backend->tensor(trial.layer.output);
  const std::vector<Tensor*> inputs = {x.get()};
  Call call;
  call.inputs = inputs;
  call.output = blocked.get();
  call.weights = weights.get();
  kernel->forward(call);
  const auto sum = tensor_of(*backend, trial.output_gradient);
  backend->add(*sum, *blocked);
  Values expected = reference::forward(trial);
  for (std::size_t i = 0; i < expected.of.size(); ++i)
    expected.of[i] += trial.output_gradient.of[i];
  EXPECT_LT(relative_error(values_of(*sum).of, expected.of), tolerance());
}

}  // namespace tensor_test
}  // namespace oracle
