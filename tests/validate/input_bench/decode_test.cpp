#include "validate/input_bench/decode.h"

#include <atomic>
#include <gtest/gtest.h>

#include "oracle/base/error.h"

namespace oracle {
namespace input_bench_decode_test {

/// Counts what is read of it.
class Counted : public ImageSet {
 public:
  explicit Counted(std::int64_t damaged = -1) : damaged_(damaged) {}
  std::string text() const override { return "counted"; }
  ImageShape shape() const override { return {3, 2, 2}; }
  std::int64_t classes() const override { return 1; }
  std::int64_t size() const override { return 5; }
  std::int64_t label(std::int64_t) const override { return 0; }
  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    ensure(values.size() == 12, "room for one image");
    if (index == damaged_ && reads_ > 5) throw InputError("image", "is damaged");
    ++reads_;
  }
  std::int64_t reads() const { return reads_; }

 private:
  std::int64_t damaged_;
  mutable std::atomic<std::int64_t> reads_ = 0;
};

constexpr StopRule kBrief{.least = 3, .least_seconds = 0, .error = 1e9, .most_seconds = 0};

TEST(Decode, EveryWorkerReadsUntilItKnows) {
  const Counted images;
  const Series series = measure_decoding(images, 2, kBrief);
  EXPECT_EQ(series.values().size(), 6U);
  EXPECT_EQ(images.reads(), 5 + 2 * 3 * 8);
}

TEST(Decode, AFailureOfAWorkerIsTold) {
  EXPECT_THROW(measure_decoding(Counted(3), 2, kBrief), InputError);
}

}  // namespace input_bench_decode_test
}  // namespace oracle
