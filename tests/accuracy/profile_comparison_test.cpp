#include "oracle/accuracy/profile_comparison.h"

#include <gtest/gtest.h>

#include "oracle/io/calibration/profile_file.h"

namespace oracle {
namespace profile_comparison_test {

constexpr double kBar = 0.03;

Verdict of_times(double baseline, double off, double contender, double off_too) {
  return judge({}, {baseline, Source::measured, off}, {contender, Source::measured, off_too}, kBar);
}

TEST(ProfileComparison, WorkedVerdicts) {
  EXPECT_EQ(of_times(100, 0.01, 110, 0.02), Verdict::slower);
  EXPECT_EQ(of_times(100, 0.04, 110, 0.08), Verdict::ambiguous);
  EXPECT_EQ(of_times(110, 0.02, 100, 0.01), Verdict::faster);
  EXPECT_EQ(of_times(100, 0, 102.9, 0), Verdict::equal);
  EXPECT_EQ(of_times(100, 0, 103.1, 0), Verdict::slower);
  const ParameterKey rate{ParameterKind::device, "", "", ParameterUnit::bytes_per_second, true};
  EXPECT_EQ(judge(rate, {100}, {110}, kBar), Verdict::faster);
  EXPECT_EQ(judge(rate, {110}, {100}, kBar), Verdict::slower);
}

TEST(ProfileComparison, NothingOnOneSideHasNoDistance) {
  EXPECT_EQ(of_times(0, 0, 0, 0), Verdict::equal);
  EXPECT_EQ(of_times(0, 0, 1e-6, 0), Verdict::ambiguous);
  const ComparedParameter pair{{}, ParameterValue{0}, ParameterValue{1}, Verdict::ambiguous};
  EXPECT_FALSE(pair.difference());
  EXPECT_EQ(summarize(std::vector{pair}, kBar).verdict, Verdict::ambiguous);
}

std::vector<ComparedParameter> judged(const std::vector<double>& contenders) {
  std::vector<ComparedParameter> pairs;
  for (const double contender : contenders) {
    const ParameterValue one{1}, other{contender};
    pairs.push_back({{}, one, other, judge({}, one, other, kBar)});
  }
  return pairs;
}

TEST(ProfileComparison, TheWholeIsWhatMostFiguresAre) {
  EXPECT_EQ(summarize({}, kBar).verdict, Verdict::missing);
  EXPECT_EQ(summarize(judged({1, 1.02, 2}), kBar).verdict, Verdict::equal);
  EXPECT_EQ(summarize(judged({1.2, 1.2, 0.5}), kBar).verdict, Verdict::slower);
  EXPECT_EQ(summarize(judged({0.8, 0.8, 2}), kBar).verdict, Verdict::faster);
  EXPECT_EQ(summarize(judged({0.8, 1.2}), kBar).verdict, Verdict::ambiguous);
  const ComparisonSummary summary = summarize(judged({1.1, 0.5, 1}), kBar);
  EXPECT_NEAR(summary.median, 0.1, 1e-12);
  EXPECT_NEAR(summary.p90, 0.82, 1e-12);
  EXPECT_NEAR(summary.worst, -0.5, 1e-12);
  EXPECT_EQ(summary.of(Verdict::slower), 1U);
  EXPECT_EQ(summary.of(Verdict::equal), 1U);
}

ProfileFile kept() {
  return read_profile(json::read(ORACLE_SOURCE_DIR "/tests/data/profiles/small.json"));
}

ProfileComparison compared(const ProfileFile& a, const ProfileFile& b) {
  return compare_profiles({a.cluster, a.profile}, {b.cluster, b.profile});
}

/// All times `scale` times as long, and known to `uncertainty`.
ProfileFile scaled(double scale, double uncertainty) {
  ProfileFile file = kept();
  for (KernelTime& kernel : file.profile.kernels) {
    kernel.cost.time = kernel.cost.time * scale;
    kernel.cost.uncertainty = uncertainty;
  }
  for (LinkFit& link : file.profile.links) {
    for (LinkPiece& piece : link.pieces) {
      piece.latency = piece.latency * scale;
      piece.bandwidth = piece.bandwidth / scale;
      piece.uncertainty = uncertainty;
    }
  }
  file.cluster.device.launch_overhead = file.cluster.device.launch_overhead * scale;
  file.cluster.device.memory_bandwidth = file.cluster.device.memory_bandwidth / scale;
  return file;
}

TEST(ProfileComparison, AProfileEqualsItself) {
  const ProfileFile file = kept();
  const ProfileComparison same = compared(file, file);
  EXPECT_GT(same.parameters.size(), 30U);
  EXPECT_EQ(same.whole.of(Verdict::equal), same.parameters.size());
  EXPECT_EQ(same.whole.verdict, Verdict::equal);
  EXPECT_EQ(same.whole.median, 0);
  EXPECT_TRUE(same.notes.empty());
  ASSERT_FALSE(same.families.empty());
  for (const ComparedFamily& family : same.families) {
    EXPECT_EQ(family.rate.verdict, Verdict::equal) << family.rate.key.name;
  }
}

TEST(ProfileComparison, AScaledProfileShowsThatScale) {
  const ProfileComparison slower = compared(scaled(1, 0.01), scaled(1.25, 0.01));
  EXPECT_EQ(slower.whole.verdict, Verdict::slower);
  EXPECT_NEAR(slower.whole.median, 0.25, 1e-9);
  EXPECT_NEAR(slower.whole.p90, 0.25, 1e-9);
  for (const ComparedParameter& pair : slower.parameters) {
    if (pair.key.kind == ParameterKind::overlap) continue;
    EXPECT_EQ(pair.verdict, Verdict::slower) << pair.key.name << " " << pair.key.at;
    EXPECT_NEAR(*pair.difference(), pair.key.more_is_faster ? -0.2 : 0.25, 1e-9) << pair.key.name;
  }
  for (const ComparedFamily& family : slower.families) {
    EXPECT_NEAR(*family.rate.difference(), -0.2, 1e-9) << family.rate.key.name;
  }
  EXPECT_EQ(compared(scaled(1, 0.01), scaled(1.02, 0.01)).whole.verdict, Verdict::equal);
  const ProfileComparison unsure = compared(scaled(1, 0.2), scaled(1.25, 0.2));
  EXPECT_EQ(unsure.whole.verdict, Verdict::ambiguous);
  EXPECT_GT(unsure.whole.of(Verdict::ambiguous), unsure.whole.of(Verdict::slower));
}

Verdict turned(Verdict verdict) {
  if (verdict == Verdict::faster) return Verdict::slower;
  return verdict == Verdict::slower ? Verdict::faster : verdict;
}

TEST(ProfileComparison, SwappedSidesTurnSignsAndVerdicts) {
  const ProfileFile one = scaled(1, 0.01);
  ProfileFile other = scaled(1.25, 0.01);
  for (std::size_t i = 0; i < other.profile.kernels.size(); i += 3) {
    other.profile.kernels[i].cost.time = one.profile.kernels[i].cost.time * 0.5;
  }
  other.profile.kernels.erase(other.profile.kernels.begin() + 4);
  const ProfileComparison there = compared(one, other), back = compared(other, one);
  EXPECT_EQ(there.whole.of(Verdict::missing), 1U);
  ASSERT_EQ(there.parameters.size(), back.parameters.size());
  for (const ComparedParameter& pair : there.parameters) {
    const auto found =
        std::find_if(back.parameters.begin(), back.parameters.end(),
                     [&](const ComparedParameter& swapped) { return swapped.key == pair.key; });
    ASSERT_NE(found, back.parameters.end()) << pair.key.name;
    EXPECT_EQ(found->verdict, turned(pair.verdict)) << pair.key.name << " " << pair.key.at;
    if (!pair.difference()) continue;
    EXPECT_LE(*pair.difference() * *found->difference(), 0);
    EXPECT_NEAR((1 + *pair.difference()) * (1 + *found->difference()), 1, 1e-12);
  }
  EXPECT_EQ(back.whole.verdict, turned(there.whole.verdict));
  EXPECT_DOUBLE_EQ(back.whole.median, there.whole.median);
}

TEST(ProfileComparison, WhatOneSideAloneHasIsMissing) {
  const ProfileFile full = kept();
  const ProfileFile none;
  const ProfileComparison there = compared(full, none), back = compared(none, full);
  EXPECT_EQ(there.whole.verdict, Verdict::missing);
  EXPECT_EQ(there.whole.of(Verdict::missing), there.parameters.size());
  EXPECT_EQ(back.parameters.size(), there.parameters.size());
  EXPECT_FALSE(there.parameters.front().contender);
  EXPECT_FALSE(back.parameters.front().baseline);
  EXPECT_FALSE(there.notes.empty());
}

}  // namespace profile_comparison_test
}  // namespace oracle
