#include "validate/data/loader.h"

#include <atomic>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "oracle/base/error.h"
#include "tests/validate/networks.h"
#include "tests/validate/runs.h"
#include "validate/data/order.h"

namespace oracle {
namespace loader_test {

using testing::HasSubstr;

/// Images whose values follow from image and place, of as many classes as the network has.
class Counted : public ImageSet {
 public:
  explicit Counted(std::int64_t size = 10, ImageShape shape = {3, 8, 8}, std::int64_t classes = 6)
      : size_(size), shape_(shape), classes_(classes) {}

  std::string text() const override { return "counted"; }
  ImageShape shape() const override { return shape_; }
  std::int64_t classes() const override { return classes_; }
  std::int64_t size() const override { return size_; }
  std::int64_t label(std::int64_t index) const override { return index % classes_; }
  void read(std::int64_t index, std::span<std::uint8_t> values) const override {
    if (index == damaged_) throw InputError("image", "is damaged");
    ++reads_;
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = value(index, i);
  }

  static std::uint8_t value(std::int64_t index, std::size_t place) {
    return static_cast<std::uint8_t>((static_cast<std::size_t>(index) * 37 + place * 11) % 256);
  }
  void damage(std::int64_t index) { damaged_ = index; }
  int reads() const { return reads_; }

 private:
  std::int64_t size_;
  ImageShape shape_;
  std::int64_t classes_;
  std::int64_t damaged_ = -1;
  mutable std::atomic<int> reads_ = 0;
};

std::vector<float> loaded(const SampleSource& source, const Region& region, std::int64_t first) {
  std::vector<float> values(static_cast<std::size_t>(region.elements()));
  source.inputs(region, first, values);
  return values;
}

TEST(Loader, GivesEachSampleItsImageWhateverTheWorkers) {
  const Counted images;
  const Region whole = whole_region({4, 3, 1, 8, 8});
  std::vector<std::vector<float>> steps;
  for (const int workers : {0, 1, 3}) {
    const Loader loader(images, {7, 4, workers});
    for (std::int64_t step = 0; step < 5; ++step) {
      const std::vector<float> values = loaded(loader, whole, 4 * step);
      const std::int64_t image = image_of(7, 4 * step + 1, images.size());
      EXPECT_FLOAT_EQ(values[192 + 5], Counted::value(image, 5) / 127.5F - 1);
      if (workers == 0) steps.push_back(values);
      EXPECT_EQ(values, steps[static_cast<std::size_t>(step)]);
    }
  }
}

TEST(Loader, APartHoldsWhatTheWholeHolds) {
  const Counted images;
  const Loader loader(images, {7, 4, 1});
  const Region whole = whole_region({4, 3, 1, 8, 8});
  Region part = whole;
  part.along[0] = {{1, 2}, {3, 4}};
  part.along[1] = {{2, 3}};
  part.along[3] = {{0, 1}, {6, 8}};
  const std::vector<float> all = loaded(loader, whole, 8);
  const std::vector<float> some = loaded(loader, part, 8);
  std::size_t next = 0;
  for (const std::size_t n : {1U, 3U}) {
    for (const std::size_t h : {0U, 6U, 7U}) {
      for (std::size_t w = 0; w < 8; ++w) {
        EXPECT_EQ(some[next++], all[((n * 3 + 2) * 8 + h) * 8 + w]);
      }
    }
  }
}

TEST(Loader, TargetsAreTheLabels) {
  const Counted images;
  const Loader loader(images, {7, 4, 0});
  std::vector<float> targets(4);
  loader.targets(whole_region({4, 1, 1, 1, 1}), 12, targets);
  for (std::int64_t n = 0; n < 4; ++n) {
    const std::int64_t image = image_of(7, 12 + n, images.size());
    EXPECT_EQ(targets[static_cast<std::size_t>(n)], static_cast<float>(images.label(image)));
  }
}

TEST(Loader, ReadsEachImageOfAStepOnceHoweverOftenItIsAskedFor) {
  const Counted images;
  {
    const Loader loader(images, {7, 4, 2});
    for (std::int64_t step = 0; step < 3; ++step) {
      for (int consumer = 0; consumer < 3; ++consumer) {
        loaded(loader, whole_region({4, 3, 1, 8, 8}), 4 * step);
      }
    }
    EXPECT_GE(loader.count().images, 12);
  }
  EXPECT_LE(images.reads(), 16);  // the next step's four as well
}

TEST(Loader, AnImageThatIsDamagedMeanwhileEndsTheRun) {
  Counted images(4);
  images.damage(2);
  for (const int workers : {0, 1}) {
    const Loader loader(images, {7, 4, workers});
    EXPECT_THROW(loaded(loader, whole_region({4, 3, 1, 8, 8}), 0), EnvironmentError);
  }
}

TEST(Loader, ImagesMustSuitTheNetwork) {
  const auto problem_of = [](const Counted& images, const Graph& graph) -> std::string {
    try {
      require_fit(images, graph);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(problem_of(Counted(), plain_network()), "");
  EXPECT_THAT(problem_of(Counted(10, {3, 32, 32}), plain_network()),
              HasSubstr("images are 3x32x32"));
  EXPECT_THAT(problem_of(Counted(10, {3, 32, 32}), plain_network()),
              HasSubstr("give --input 3x32x32"));
  EXPECT_THAT(problem_of(Counted(10, {3, 8, 8}, 7), plain_network()),
              HasSubstr("give --classes 7"));
  EXPECT_THAT(problem_of(Counted(), volume_network()), HasSubstr("does not answer with a class"));
}

class LoadedRun : public testing::TestWithParam<std::string_view> {};
TEST_P(LoadedRun, EqualsTheSerialRun) {
  const Counted images;
  const Loader loader(images, {7, 4, 2});
  RunOptions options;
  options.samples = &loader;
  const Outcome outcome = run_both(plain_network(), GetParam(), options);
  ASSERT_TRUE(outcome.check.has_value());
  EXPECT_LE(outcome.check->loss_error(), kFp32Rounding.equal);
  for (const ParameterError& error : outcome.check->errors)
    EXPECT_LE(error.relative, kFp32Rounding.equal);
  EXPECT_GT(outcome.images_per_worker_second, 0);
}
INSTANTIATE_TEST_SUITE_P(Loader, LoadedRun,
                         testing::Values("data:2", "data:4", "height:2", "filter:2", "pipeline:2",
                                         "data:2; micro_batches=2"));

}  // namespace loader_test
}  // namespace oracle
