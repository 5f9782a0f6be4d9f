#pragma once
// Is one profile the other's equal, figure by figure?
//
//   difference   contender / baseline − 1, with its sign
//   distance     larger / smaller − 1: the same from either side
//
// Five verdicts, of a figure:
//
//   equal       at a distance within the bar: what repeated calibrations differ by
//   ambiguous   further apart, but the 90 % intervals v·(1 ± u) meet, or one figure is 0
//   faster      the contender's time is less, or its rate more
//   slower      the reverse
//   missing     only one side has it
//
// and of a whole: missing where no figure is on both sides, equal where the median distance is
// within the bar, faster or slower where more than half of the figures are, else ambiguous. Where
// no spread was kept, u is 0 and the bar alone decides.
//
// Families of kernels stand beside them: what a family's kernels achieve together, over the shapes
// that both profiles know (measured, or interpolated from their own measurements):
//
//   rate = Σ operations / Σ time of contractions, Σ bytes touched / Σ time of what streams
//
// Worked: 100 us ± 1 % and 110 us ± 2 %: +10 %, slower; ± 4 % and ± 8 %: ambiguous
//                                                    tests/accuracy/profile_comparison_test.cpp

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/accuracy/profile_parameters.h"

namespace oracle {

/// Distance that repeated calibrations of one machine keep.
inline constexpr double kRepeatBar = 0.03;

enum class Verdict : std::uint8_t { faster, slower, equal, ambiguous, missing };
inline constexpr std::size_t kVerdictCount = 5;
std::string_view name_of(Verdict verdict);

struct ComparedParameter {
  ParameterKey key;
  std::optional<ParameterValue> baseline, contender;
  Verdict verdict = Verdict::missing;

  std::optional<double> difference() const;  ///< absent where a side is missing or 0
  std::optional<double> distance() const;
};

/// A family's rate, and over how many shapes.
struct ComparedFamily {
  ComparedParameter rate;
  std::size_t shapes = 0;
};

struct ComparisonSummary {
  Verdict verdict = Verdict::missing;
  std::size_t compared = 0;  ///< figures on both sides
  double median = 0;         ///< distance
  double p90 = 0;            ///< distance that nine in ten keep
  double worst = 0;          ///< difference, with its sign
  std::array<std::size_t, kVerdictCount> verdicts{};

  std::size_t of(Verdict verdict_asked) const {
    return verdicts[static_cast<std::size_t>(verdict_asked)];
  }
};

struct ProfileComparison {
  double bar = kRepeatBar;
  std::vector<ComparedParameter> parameters;  ///< by kind, as the baseline has them
  std::vector<ComparedFamily> families;
  ComparisonSummary whole;         ///< of all parameters
  std::vector<std::string> notes;  ///< what the machines' descriptions differ in
};

/// A measured machine.
struct ProfiledMachine {
  const Cluster& cluster;
  const Profile& profile;
};

Verdict judge(const ParameterKey& key, const ParameterValue& baseline,
              const ParameterValue& contender, double bar);

ComparisonSummary summarize(std::span<const ComparedParameter> parameters, double bar);

ProfileComparison compare_profiles(const ProfiledMachine& baseline,
                                   const ProfiledMachine& contender, double bar = kRepeatBar);

}  // namespace oracle
