#include "microbench/compression/compressed_gradients.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/graph/layer_case.h"

namespace oracle {
namespace compressed_gradients_test {

constexpr std::int64_t kRanks = 2;

/// The only rank of two whose gradients are not zero, of a convolution of 16 channels to 40 that
/// keeps its weights as its kernel wants them.
class OneRank {
 public:
  explicit OneRank(std::string_view exchange) : layer_(layer_of(parse_layer_case(kLayer))) {
    local_.layer = &layer_;
    local_.inputs = {{1, 16, 1, 8, 8}};
    local_.output = local_.whole = {1, 40, 1, 6, 6};
    local_.window = layer_.window;
    local_.groups = layer_.groups;
    weights_ = backend_->weights(local_);
    const auto input = backend_->tensor(local_.inputs.front());
    const auto output = backend_->tensor(local_.output);
    const std::vector<float> values(16 * 8 * 8, 0.5F);
    input->write({{0, 0, 0, 0, 0}, local_.inputs.front()}, values.data());
    Tensor* const read = input.get();
    Call call;
    call.inputs = {&read, 1};
    call.output = output.get();
    call.weights = weights_.get();
    backend_->kernel(local_)->forward(call);
    made_ = std::make_unique<CompressedGradients>(
        chosen_exchange(exchange),
        std::vector<CompressedGradients::Gradient>{{weights_.get(), 0}, {weights_.get(), 1}},
        16 * 9 * 40 + 40, CompressedGradients::Place{0, kRanks}, *backend_);
  }

  CompressedGradients& made() { return *made_; }
  Weights& weights() { return *weights_; }

  void write(float scale) {
    for (std::size_t p = 0; p < 2; ++p) {
      std::vector<float> values(static_cast<std::size_t>(weights_->elements(p)));
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = scale * static_cast<float>(std::sin(static_cast<double>(i + 7 * p)));
      }
      weights_->write_gradient(p, values.data());
    }
  }

  std::vector<float> read() const {
    std::vector<float> all;
    for (std::size_t p = 0; p < 2; ++p) {
      std::vector<float> values(static_cast<std::size_t>(weights_->elements(p)));
      weights_->read_gradient(p, values.data());
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  }

 private:
  static constexpr const char* kLayer = "convolution 1:16x8x8 features=40 kernel=3";
  Layer layer_;
  std::unique_ptr<Backend> backend_ = make_cpu_backend(1);
  LocalLayer local_;
  std::unique_ptr<Weights> weights_;
  std::unique_ptr<CompressedGradients> made_;
};

TEST(CompressedGradients, RoundEachValueToAnElement) {
  OneRank rank("bf16");
  rank.write(1);
  std::vector<float> expected = rank.read();
  for (float& value : expected) value = bf16_to_float(float_to_bf16(value));
  rank.made().take(CompressionStep::compress);
  EXPECT_EQ(rank.made().given().bytes(), 2 * 5800);
  rank.made().arrive();
  rank.write(5);
  rank.made().take(CompressionStep::restore);
  EXPECT_EQ(rank.read(), expected);
}

/// As what a rank sends itself and to the other, whose gradients are zeros.
void exchange_parts(CompressedGradients& made) {
  made.take(CompressionStep::compress);
  Buffer& given = made.given();
  const std::int64_t packed = made.packed();
  ASSERT_EQ(given.bytes(), kRanks * packed);
  std::vector<std::byte> all(static_cast<std::size_t>(given.bytes()));
  given.read(all.data(), given.bytes());
  Buffer& room = made.make_room(kRanks * packed);
  room.zero(0, room.bytes());
  room.write(all.data(), packed);
  made.arrive();
  made.take(CompressionStep::reduce);
  std::vector<std::byte> own(static_cast<std::size_t>(packed));
  made.given().read(own.data(), packed);
  std::copy(own.begin(), own.end(), all.begin());
  made.make_room(kRanks * packed).write(all.data(), kRanks * packed);
  made.arrive();
  made.take(CompressionStep::restore);
}

/// A convolution's gradient is kept in blocks of its filters.
TEST(CompressedGradients, KeepWhatWasLeftOutInAnotherOrder) {
  OneRank rank("int8");
  rank.write(1);
  const std::vector<float> given = rank.read();
  exchange_parts(rank.made());
  const std::vector<float> arrived = rank.read();
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(arrived[i], given[i], 2 * 0.5 / 127 + 1e-6);
  }
  EXPECT_NE(arrived, given);
  ASSERT_NE(rank.weights().kept_order(0), "");
  rank.weights().pack_as_kept();
  rank.made().pack_as_kept();
  EXPECT_EQ(rank.read(), arrived) << "gradients stay";
  // With no more gradients, what was left out of them and of their sum is sent.
  rank.write(0);
  exchange_parts(rank.made());
  const std::vector<float> later = rank.read();
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_NEAR(arrived[i] + later[i], given[i], 1e-4) << i;
  }
}

}  // namespace compressed_gradients_test
}  // namespace oracle
