#include "validate/data/dataset.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "tests/validate/networks.h"
#include "tests/validate/runs.h"

namespace oracle {
namespace dataset_test {

std::vector<float> loaded(const Dataset& data, const Region& region, std::int64_t first) {
  std::vector<float> values(static_cast<std::size_t>(region.elements()));
  data.inputs(region, first, values);
  return values;
}

TEST(Dataset, APartHoldsWhatTheWholeHolds) {
  const Dataset data(plain_network(), 3);
  const Region whole = whole_region({4, 3, 1, 8, 8});
  Region part = whole;
  part.along[0] = {{2, 3}};
  part.along[3] = {{1, 2}, {5, 8}};
  const std::vector<float> all = loaded(data, whole, 10);
  std::size_t next = 0;
  const std::vector<float> some = loaded(data, part, 10);
  for (std::size_t c = 0; c < 3; ++c) {
    for (const std::size_t h : {1U, 5U, 6U, 7U}) {
      for (std::size_t w = 0; w < 8; ++w) {
        EXPECT_EQ(some[next++], all[((2 * 3 + c) * 8 + h) * 8 + w]);
      }
    }
  }
}

TEST(Dataset, SamplesFollowTheGlobalIndex) {
  const Dataset data(plain_network(), 3);
  Region one = whole_region({1, 3, 1, 8, 8});
  Region third = one;
  third.along[0] = {{2, 3}};
  EXPECT_EQ(loaded(data, third, 10), loaded(data, one, 12));
  EXPECT_NE(loaded(data, one, 10), loaded(data, one, 12));
  EXPECT_NE(loaded(Dataset(plain_network(), 4), one, 10), loaded(data, one, 10));
}

/// Of a network that looks them up: 20 rows, all of which come up, each wave in whole numbers.
TEST(Dataset, ATextIsWholeNumbersBelowTheRowsOfItsTable) {
  const Dataset data(network_of_file("text"), 3);
  const std::vector<float> numbers = loaded(data, whole_region({64, 1, 1, 1, 11}), 0);
  const std::set<float> seen(numbers.begin(), numbers.end());
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 19);
  for (const float number : seen) EXPECT_EQ(number, std::floor(number));
}

/// Each part of it holds what the whole does.
TEST(Dataset, ASecondTextIsWholeNumbersOfItsOwn) {
  const Dataset data(network_of_file("t5"), 3);
  const Region whole = whole_region({8, 1, 1, 1, 10});
  std::vector<float> numbers(80), some(8 * 4);
  data.further(whole, 0, numbers);
  const std::set<float> seen(numbers.begin(), numbers.end());
  EXPECT_GE(*seen.begin(), 0);
  EXPECT_LE(*seen.rbegin(), 17);
  for (const float number : seen) EXPECT_EQ(number, std::floor(number));
  EXPECT_NE(numbers, loaded(data, whole, 0));
  Region part = whole;
  part.along[4] = {{6, 10}};
  data.further(part, 0, some);
  EXPECT_EQ(some[4], numbers[16]);
}

TEST(Dataset, TargetsAreTheClassesOfTheSamples) {
  const Dataset data(plain_network(), 3);
  ASSERT_EQ(data.classes(), 6);
  std::vector<float> targets(50);
  data.targets(whole_region({50, 1, 1, 1, 1}), 0, targets);
  std::set<float> seen(targets.begin(), targets.end());
  EXPECT_EQ(seen.size(), 6U);
  for (std::int64_t n = 0; n < 50; ++n) {
    EXPECT_EQ(targets[static_cast<std::size_t>(n)], static_cast<float>(data.class_of(n)));
  }
}

TEST(Dataset, TargetsPerPositionHaveTwoClassesInAnImage) {
  const Dataset data(volume_network(), 3);
  std::vector<float> targets(512);
  data.targets(whole_region({1, 1, 8, 8, 8}), 0, targets);
  EXPECT_EQ(std::set<float>(targets.begin(), targets.end()).size(), 2U);
}

/// Samples never come twice, so what is learned holds for new ones: the loss falls far below ln 6,
/// which is that of guessing among six classes, and does not where the classes are those of other
/// samples.
class OtherTargets : public SampleSource {
 public:
  explicit OtherTargets(const Dataset& data) : data_(data) {}
  void inputs(const Region& region, std::int64_t first, std::span<float> values) const override {
    data_.inputs(region, first, values);
  }
  void targets(const Region& region, std::int64_t first, std::span<float> values) const override {
    data_.targets(region, first + 1'000'000, values);
  }

 private:
  const Dataset& data_;
};

double last_losses(const SampleSource& source) {
  RunOptions options;
  options.batch = 16;
  options.steps = 60;
  options.samples = &source;
  const Outcome outcome = run_both(plain_network(), "serial", options);
  return std::accumulate(outcome.losses.end() - 10, outcome.losses.end(), 0.0) / 10;
}

TEST(Dataset, CanBeLearned) {
  const Dataset data(plain_network(), 7);
  EXPECT_LT(last_losses(data), 0.6 * std::log(6));
  EXPECT_GT(last_losses(OtherTargets(data)), 0.9 * std::log(6));
}

}  // namespace dataset_test
}  // namespace oracle
