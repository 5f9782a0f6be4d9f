#include "oracle/accuracy/profile_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "oracle/accuracy/kernel_families.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

constexpr std::array<std::string_view, kVerdictCount> kVerdictNames = {"faster", "slower", "equal",
                                                                       "ambiguous", "missing"};

bool intervals_meet(const ParameterValue& a, const ParameterValue& b) {
  const auto low = [](const ParameterValue& v) { return v.value * (1 - v.uncertainty); };
  const auto high = [](const ParameterValue& v) { return v.value * (1 + v.uncertainty); };
  return low(a) <= high(b) && low(b) <= high(a);
}

/// Pairs by key, as the baseline has them; then what the contender alone has. Equal keys of one
/// side pair in turn.
std::vector<ComparedParameter> paired(const std::vector<ProfileParameter>& baseline,
                                      const std::vector<ProfileParameter>& contender) {
  std::multimap<ParameterKey, std::size_t> left;
  for (std::size_t i = 0; i < contender.size(); ++i) left.emplace(contender[i].key, i);
  std::vector<ComparedParameter> pairs;
  for (const ProfileParameter& parameter : baseline) {
    ComparedParameter& pair = pairs.emplace_back();
    pair.key = parameter.key;
    pair.baseline = parameter.value;
    const auto found = left.lower_bound(parameter.key);
    if (found == left.end() || found->first != parameter.key) continue;
    pair.contender = contender[found->second].value;
    left.erase(found);
  }
  for (const ProfileParameter& parameter : contender) {
    const auto found = left.lower_bound(parameter.key);
    if (found == left.end() || found->first != parameter.key) continue;
    pairs.push_back({parameter.key, std::nullopt, parameter.value});
    left.erase(found);
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const ComparedParameter& a, const ComparedParameter& b) {
                     return a.key.kind < b.key.kind;
                   });
  return pairs;
}

void judge(ComparedParameter& pair, double bar) {
  if (pair.baseline && pair.contender) {
    pair.verdict = judge(pair.key, *pair.baseline, *pair.contender, bar);
  }
}

Verdict verdict_of(const ComparisonSummary& summary, double bar) {
  if (summary.compared == 0) return Verdict::missing;
  if (summary.median <= bar) return Verdict::equal;
  for (const Verdict way : {Verdict::faster, Verdict::slower}) {
    if (2 * summary.of(way) > summary.compared) return way;
  }
  return Verdict::ambiguous;
}

/// What two descriptions say otherwise, where prices rest on it.
std::vector<std::string> description_notes(const Cluster& a, const Cluster& b) {
  std::vector<std::string> notes;
  const auto note = [&](const char* what, const std::string& one, const std::string& other) {
    if (one != other) notes.push_back(std::string(what) + ": " + one + " and " + other);
  };
  note("device", a.device.name, b.device.name);
  note("memory", to_binary_text(a.device.memory), to_binary_text(b.device.memory));
  note("processors", std::to_string(a.device.multiprocessors),
       std::to_string(b.device.multiprocessors));
  note("ranks", std::to_string(a.ranks()), std::to_string(b.ranks()));
  note("ranks per device", std::to_string(a.ranks_per_device), std::to_string(b.ranks_per_device));
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    const std::string what = "peak in " + std::string(name_of(static_cast<DataType>(t)));
    note(what.c_str(), to_text(a.device.peak[t]), to_text(b.device.peak[t]));
  }
  return notes;
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  return kVerdictNames[static_cast<std::size_t>(verdict)];
}

std::optional<double> ComparedParameter::difference() const {
  if (!baseline || !contender) return std::nullopt;
  if (baseline->value == contender->value) return 0;
  if (std::min(baseline->value, contender->value) <= 0) return std::nullopt;
  return contender->value / baseline->value - 1;
}

std::optional<double> ComparedParameter::distance() const {
  if (!difference()) return std::nullopt;
  if (baseline->value == contender->value) return 0;
  const auto [less, more] = std::minmax(baseline->value, contender->value);
  return more / less - 1;
}

Verdict judge(const ParameterKey& key, const ParameterValue& baseline,
              const ParameterValue& contender, double bar) {
  const ComparedParameter pair{key, baseline, contender};
  const std::optional<double> distance = pair.distance();
  if (!distance) return Verdict::ambiguous;
  if (*distance <= bar) return Verdict::equal;
  if (intervals_meet(baseline, contender)) return Verdict::ambiguous;
  return (contender.value > baseline.value) == key.more_is_faster ? Verdict::faster
                                                                  : Verdict::slower;
}

ComparisonSummary summarize(std::span<const ComparedParameter> parameters, double bar) {
  ComparisonSummary summary;
  std::vector<double> distances;
  double furthest = 0;
  for (const ComparedParameter& pair : parameters) {
    ++summary.verdicts[static_cast<std::size_t>(pair.verdict)];
    if (!pair.baseline || !pair.contender) continue;
    ++summary.compared;
    const std::optional<double> distance = pair.distance();
    if (!distance) continue;
    distances.push_back(*distance);
    if (*distance <= furthest) continue;
    furthest = *distance;
    summary.worst = *pair.difference();
  }
  summary.p90 = quantile(distances, 0.9);
  summary.median = median(distances);
  // Figures of which one side is 0 have no distance.
  const bool none = distances.empty() && summary.compared > 0;
  summary.verdict = none ? Verdict::ambiguous : verdict_of(summary, bar);
  return summary;
}

ProfileComparison compare_profiles(const ProfiledMachine& baseline,
                                   const ProfiledMachine& contender, double bar) {
  ProfileComparison out;
  out.bar = bar;
  out.parameters = paired(parameters_of(baseline.cluster, baseline.profile),
                          parameters_of(contender.cluster, contender.profile));
  for (ComparedParameter& pair : out.parameters) judge(pair, bar);
  for (FamilyRates& family : family_rates(baseline.profile, contender.profile)) {
    ComparedFamily& to = out.families.emplace_back();
    to.rate = {std::move(family.key), family.first, family.second};
    to.shapes = family.shapes;
    judge(to.rate, bar);
  }
  out.whole = summarize(out.parameters, bar);
  out.notes = description_notes(baseline.cluster, contender.cluster);
  return out;
}

}  // namespace oracle
