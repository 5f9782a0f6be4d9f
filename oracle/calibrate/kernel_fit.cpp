#include "oracle/calibrate/kernel_fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <tuple>

#include "oracle/base/statistics.h"
#include "oracle/calibrate/kriging.h"
#include "oracle/calibrate/plain_model_fit.h"

namespace oracle {
namespace {

/// Candidates, from much alike to little; the longest ignores its feature.
constexpr std::array<double, 7> kLengths = {64, 16, 8, 4, 2, 1, 0.5};
constexpr std::array<double, 4> kNoises = {0.2, 0.1, 0.05, 0.02};
constexpr std::array<double, 4> kSlopes = {0, 0.03, 0.1, 0.3};
constexpr double kFirstLength = 8, kFirstNoise = 0.05;
constexpr double kLeastDeviation = 0.1;
/// Left-out errors count up to a factor of e.
constexpr double kCutOff = 1;
/// A shorter length, or less noise, must pay by this much.
constexpr double kGain = 0.995;
/// As many kernels at most choose lengths and noise, which takes the cube of their number; all of
/// them make the fit.
constexpr std::size_t kMostChoosing = 500;
constexpr int kSweeps = 2;

std::vector<double> sizes_of(const std::vector<double>& values) {
  std::vector<double> sizes = values;
  for (double& size : sizes) size = std::abs(size);
  return sizes;
}

/// What of a family's kernels the fit sees.
struct Seen {
  std::vector<KernelFeatures> at;
  std::vector<double> values;  ///< log(measured / plain)
  std::vector<double> spread;  ///< of the measurement, a standard deviation

  /// Noise of the fit on top of the measurement's.
  std::vector<double> noise(double common) const {
    std::vector<double> all = spread;
    for (double& one : all) one = std::hypot(one, common);
    return all;
  }
};

/// About as many as `most`, here and there. Each third or fifth would not do: grids are drawn by
/// sequences of those bases, and it would hold a third of the extents.
Seen some_of(const Seen& seen, std::size_t most) {
  if (seen.at.size() <= most) return seen;
  const double share = static_cast<double>(most) / static_cast<double>(seen.at.size());
  Seen some;
  for (std::size_t i = 0; i < seen.at.size(); ++i) {
    const double turns = static_cast<double>(i) * std::numbers::phi;
    if (turns - std::floor(turns) >= share) continue;
    some.at.push_back(seen.at[i]);
    some.values.push_back(seen.values[i]);
    some.spread.push_back(seen.spread[i]);
  }
  return some;
}

/// What is searched for, beside the fit's own lengths and noise.
struct Search {
  KernelFit& fit;
  double slope = kSlopes[1];

  Kriging krige(const Seen& seen) const {
    return oracle::krige(fit, seen.at, seen.values, seen.noise(fit.noise), slope);
  }
};

double mean_left_out(const Kriging& kriging) {
  double sum = 0;
  for (const double error : kriging.left_out) sum += std::min(std::abs(error), kCutOff);
  return sum / static_cast<double>(kriging.left_out.size());
}

double score(const Search& search, const Seen& seen) { return mean_left_out(search.krige(seen)); }

/// Takes the best of the candidates for one number of the fit.
template <typename Candidates>
void improve(const Search& search, double& number, const Candidates& candidates, const Seen& seen,
             double& least) {
  double best = number;
  for (const double candidate : candidates) {
    if (candidate == best) continue;
    number = candidate;
    const double found = score(search, seen);
    if (found >= least * kGain) continue;
    least = found;
    best = candidate;
  }
  number = best;
}

KernelFeatures center_of(const Seen& seen) {
  KernelFeatures center{};
  for (const KernelFeatures& at : seen.at) {
    for (std::size_t d = 0; d < at.size(); ++d) {
      center[d] += at[d] / static_cast<double>(seen.at.size());
    }
  }
  return center;
}

/// Whether the kernels differ in that feature at all.
bool varies(const Seen& seen, std::size_t d) {
  return std::any_of(seen.at.begin(), seen.at.end(),
                     [&](const KernelFeatures& at) { return at[d] != seen.at.front()[d]; });
}

void choose_lengths(Search& search, const Seen& seen) {
  const Seen some = some_of(seen, kMostChoosing);
  double least = score(search, some);
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t d = 0; d < kKernelFeatures; ++d) {
      if (varies(some, d)) improve(search, search.fit.lengths[d], kLengths, some, least);
    }
    improve(search, search.fit.noise, kNoises, some, least);
    improve(search, search.slope, kSlopes, some, least);
  }
}

/// Half-widths of 90 % that nine in ten kernels, left out, lie within; as price_of() bounds them.
/// No narrower than the model itself says: lengths were chosen by these very kernels.
double spread_of(const KernelFit& fit, const Seen& seen, const Kriging& kriging) {
  std::vector<double> in_deviations;
  for (std::size_t i = 0; i < seen.at.size(); ++i) {
    double nearest = 0;
    for (std::size_t j = 0; j < seen.at.size(); ++j) {
      if (j != i) nearest = std::max(nearest, covariance(fit, seen.at[i], seen.at[j]));
    }
    const double deviation =
        std::sqrt(fit.deviation * fit.deviation * (1 - nearest * nearest) + fit.noise * fit.noise);
    in_deviations.push_back(std::abs(kriging.left_out[i]) / deviation);
  }
  return std::max(quantile(in_deviations, 0.9), kNormal90);
}

Seen seen_of(std::span<const KernelTime> kernels, const PlainModel& plain) {
  Seen seen;
  for (const KernelTime& kernel : kernels) {
    seen.at.push_back(features_of(kernel.key));
    seen.values.push_back(std::log(kernel.cost.time / plain.of(work_of(kernel.key))));
    seen.spread.push_back(kernel.cost.uncertainty / kNormal90);
  }
  return seen;
}

/// A fit, and the mean of its left-out errors, each cut off.
struct Candidate {
  KernelFit fit;
  double error = 0;
};

Candidate fit_around(PlainModel plain, std::span<const KernelTime> kernels) {
  Candidate found;
  KernelFit& fit = found.fit;
  fit.family = family_of(kernels.front().key);
  fit.pass = kernels.front().key.pass;
  fit.type = kernels.front().key.type;
  fit.plain = std::move(plain);
  const Seen seen = seen_of(kernels, fit.plain);
  fit.mean = median(seen.values);
  std::vector<double> off = seen.values;
  for (double& value : off) value -= fit.mean;
  fit.deviation = std::max(kDeviationPerMedian * median(sizes_of(off)), kLeastDeviation);
  fit.lengths.fill(kFirstLength);
  fit.noise = kFirstNoise;
  fit.center = center_of(seen);
  Search search{fit};
  choose_lengths(search, seen);
  const Kriging kriging = search.krige(seen);
  fit.slopes = kriging.slopes;
  for (std::size_t i = 0; i < seen.at.size(); ++i) {
    fit.points.push_back({seen.at[i], kriging.weights[i]});
  }
  const std::vector<double> errors = sizes_of(kriging.left_out);
  fit.median_error = quantile(errors, 0.5);
  fit.high_error = quantile(errors, 0.9);
  fit.spread = spread_of(fit, seen, kriging);
  fit.outliers = std::count(kriging.outlier.begin(), kriging.outlier.end(), true);
  found.error = mean_left_out(kriging);
  return found;
}

/// Of each kernel: where elements past a full cache explain all, those within may be left none.
bool takes_time(const PlainModel& model, std::span<const KernelWork> work) {
  return std::all_of(work.begin(), work.end(),
                     [&](const KernelWork& kernel) { return model.of(kernel).value > 0; });
}

}  // namespace

KernelFit fit_family(std::span<const KernelTime> kernels) {
  std::vector<KernelWork> work;
  std::vector<double> seconds;
  for (const KernelTime& kernel : kernels) {
    work.push_back(work_of(kernel.key));
    seconds.push_back(kernel.cost.time.value);
  }
  Candidate even = fit_around(fit_plain_model(work, seconds), kernels);
  // Products are bound by arithmetic.
  if (kernels.front().key.contraction) return std::move(even.fit);
  PlainModel model = fit_plain_model(work, seconds, full_caches_among(work));
  if (model.full_caches.empty() || !takes_time(model, work)) return std::move(even.fit);
  Candidate steeper = fit_around(std::move(model), kernels);
  return std::move(steeper.error < even.error ? steeper.fit : even.fit);
}

std::vector<KernelFit> fit_kernels(std::span<const KernelTime> table) {
  using Family = std::tuple<std::string, std::uint8_t, DataType>;
  std::map<Family, std::vector<KernelTime>> families;
  for (const KernelTime& kernel : table) {
    families[{family_of(kernel.key), kernel.key.pass, kernel.key.type}].push_back(kernel);
  }
  std::vector<KernelFit> fits;
  for (const auto& [family, kernels] : families) {
    if (kernels.size() >= kLeastKernels) fits.push_back(fit_family(kernels));
  }
  return fits;
}

}  // namespace oracle
