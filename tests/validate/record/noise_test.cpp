#include "validate/record/noise.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/validate/compare/fixtures.h"

namespace oracle {
namespace noise_record_test {

/// Of one rank that has `samples`, by step.
RankRecord rank_of(std::int64_t samples, std::vector<double> part, std::vector<double> whole) {
  RankRecord record;
  record.part_samples = samples;
  record.part_squares = std::move(part);
  record.whole_squares = std::move(whole);
  record.squares_seconds = 0.25 * static_cast<double>(samples);
  return record;
}

TEST(RunNoise, RanksAreAveragedInEachStep) {
  // Of 1 sample each 14 in the mean, of 4 together 6.5: the worked number of noise_scale.h.
  const std::vector<RankRecord> records = {
      rank_of(1, {10, 12}, {6.5, 6.5}), rank_of(1, {18, 16}, {6.5, 6.5}),
      rank_of(1, {13, 13}, {6.5, 6.5}), rank_of(1, {15, 15}, {6.5, 6.5})};
  const auto noise = noise_of(records, 4);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->scale.batch(), 2.5, 1e-12);
  EXPECT_EQ(noise->batches.small, 1);
  EXPECT_EQ(noise->batches.large, 4);
  EXPECT_EQ(noise->seconds, 0.25);
}

TEST(RunNoise, OfPartsThatDifferTheHarmonicMeanCounts) {
  // |G|² 4 and tr(Σ) 12: parts of 1 and 3 samples have 16 and 8, all four 7.
  const std::vector<RankRecord> records = {rank_of(1, {16}, {7}), rank_of(3, {8}, {7})};
  const auto noise = noise_of(records, 4);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->batches.small, 1.5, 1e-12);
  EXPECT_NEAR(noise->scale.signal, 4, 1e-9);
  EXPECT_NEAR(noise->scale.noise, 12, 1e-9);
}

TEST(RunNoise, HalvesHaveTheirOwn) {
  // tr(Σ) 10, then 40, of |G|² 4.
  const std::vector<RankRecord> records = {rank_of(1, {14, 14, 44}, {6.5, 6.5, 14})};
  const auto noise = noise_of(records, 4);
  ASSERT_TRUE(noise);
  EXPECT_NEAR(noise->first_half.batch(), 2.5, 1e-9);
  EXPECT_NEAR(noise->second_half.batch(), 25.0 / 4, 1e-9);
  EXPECT_NEAR(noise->scale.batch(), 20.0 / 4, 1e-9);
}

TEST(RunNoise, WhereThereIsNothingToSayNothingIsSaid) {
  EXPECT_FALSE(noise_of(std::vector<RankRecord>{RankRecord{}}, 4));
  EXPECT_FALSE(noise_of(std::vector<RankRecord>{rank_of(1, {std::nan("")}, {1})}, 4));
}

RunNoise noise_with(const NoiseScale& scale) {
  return {scale, {10, 0.5, 15, 30}, {10, 0.2, 30, 100}, {8, 32}, 0.5};
}

TEST(RunNoise, SaysHowLargeItIsAndHowItGrew) {
  EXPECT_EQ(to_text(noise_with({100, 4, 20, 40})),
            "25.0 samples (90 %: 20.0 to 40.0); 20.0 in the first half of the steps, 50.0 in the "
            "second");
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(to_text(noise_with({100, 4, 20, infinity}))
                  .starts_with("25.0 samples (90 %: 20.0 or more); "));
  EXPECT_TRUE(to_text(noise_with({100, -4, 20, infinity}))
                  .starts_with("no figure: gradients of 32.0 samples are little but noise; take a "
                               "larger batch, or more steps; "));
}

TEST(RunNoise, SurvivesItsJson) {
  for (const double signal : {4.0, -4.0}) {
    const double high = signal > 0 ? 40 : std::numeric_limits<double>::infinity();
    const RunNoise noise = noise_with({100, signal, 20, high});
    const std::string text = run_text_with(
        R"("items": [)", "\"noise_scale\": " + noise_json(noise).dump() + ", \"items\": [");
    const auto read = run_of(text).noise;
    ASSERT_TRUE(read);
    EXPECT_EQ(read->scale.signal, signal);
    EXPECT_EQ(read->scale.noise, 100);
    EXPECT_EQ(read->scale.low, 20);
    EXPECT_EQ(read->scale.high, high);
    EXPECT_EQ(read->scale.batch(), noise.scale.batch());
    EXPECT_EQ(read->first_half.high, 30);
    EXPECT_EQ(read->second_half.batch(), 50);
    EXPECT_EQ(read->batches.small, 8);
    EXPECT_EQ(read->seconds, 0.5);
  }
  EXPECT_FALSE(run_of(kRunText).noise);
}

TEST(RunNoise, AFigureThatIsMissingIsNamed) {
  try {
    run_of(run_text_with(R"("items": [)", R"("noise_scale": {"noise": 1}, "items": [)"));
    FAIL();
  } catch (const InputError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find("has no \"signal\""), std::string::npos) << said;
    EXPECT_NE(said.find("first_half"), std::string::npos) << said;
  }
}

}  // namespace noise_record_test
}  // namespace oracle
