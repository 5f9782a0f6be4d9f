#pragma once
// How much data does training need to reach its target, at a given batch?
//
// The law of McCandlish et al. (arXiv 1812.06162) between examples E and batch B, where no training
// needs less than E_min, and at B_crit it needs twice that:
//
//   E(B) = E_min·(1 + B/B_crit)
//
// The fit to published points minimizes the sum of squared relative errors, in closed form. An
// interval has what the points stray from the law and what runs of one point stray from their mean;
// beyond the published batches also all that the law adds to the last of them.
//
// Worked: points (100, 11), (200, 12), (400, 14) → E_min 10, B_crit 1000; E(800) = 18 ± 22 %
//                                                             tests/budget/convergence_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace oracle {

/// In what the data until the target is counted.
enum class DataUnit : std::uint8_t { epochs, samples, tokens };
inline constexpr std::size_t kDataUnitCount = 3;
std::string_view name_of(DataUnit unit);

/// The mean of some runs with one batch, as published.
struct ConvergencePoint {
  std::int64_t batch = 1;    ///< global
  double data = 0;           ///< until the target, in the unit of its file
  double deviation = 0;      ///< standard deviation of the runs, in the same unit
  std::int64_t runs = 1;     ///< behind the mean
  double learning_rate = 0;  ///< that was tuned for this batch; 0: not published
  double warm_up = 0;        ///< of it, in the unit of the file
  bool held_out = false;     ///< only to judge the fit by
  std::string source;        ///< file or table
};

/// What was published of a network, a data set and a target.
struct Convergence {
  std::string id;                     ///< file name
  std::vector<std::string> networks;  ///< names of models
  std::string dataset;
  std::string metric;  ///< "top-1 accuracy"
  std::string target;  ///< "75.9 %"
  std::string scope;   ///< what of a training this is, where it is not all of it
  DataUnit unit = DataUnit::epochs;
  std::int64_t sequence = 0;  ///< tokens of a sample that the points are of; 0: no texts
  std::string optimizer;      ///< that the points were tuned with: "lars"
  std::string source;
  std::vector<ConvergencePoint> points;  ///< by batch, ascending
};

/// Tokens as samples of `sequence` of them; anything else as it is.
Convergence in_samples(Convergence convergence, std::int64_t sequence);

/// E(B), fitted.
struct ConvergenceLaw {
  double least = 0;                  ///< E_min
  double slope = 0;                  ///< E_min/B_crit, 0 where larger batches need no more
  double uncertainty = 0;            ///< relative half-width of the 90 % interval
  std::int64_t first = 1, last = 1;  ///< batches of the points fitted
  double data_at(double batch) const { return least + slope * batch; }
  double critical_batch() const;  ///< B_crit; infinite where larger batches need no more
};

/// Data until the target at one batch.
struct DataToTarget {
  double amount = 0;
  double uncertainty = 0;     ///< relative half-width of the 90 % interval
  bool extrapolated = false;  ///< the batch lies outside those published
};

inline constexpr std::size_t kLeastPoints = 3;

/// The law of the points that are not held out. Throws Defect where these are fewer than
/// kLeastPoints or share one batch.
ConvergenceLaw fit_law(const std::vector<ConvergencePoint>& points);

/// The law of a length that small batches need, and of a critical batch, as a noise scale tells it
/// (noise_scale.h). With no point at a larger batch, the interval has all that the law adds.
/// Worked: 90 epochs and 1,000 samples: 112.5 ± 20 % at a batch of 250
ConvergenceLaw law_of(double least, double critical_batch);

DataToTarget data_to_target(const ConvergenceLaw& law, std::int64_t batch);

/// (fitted - published) / published.
double signed_error(const ConvergenceLaw& law, const ConvergencePoint& point);

/// The published point whose batch is nearest, by ratio. Throws Defect where there is none.
const ConvergencePoint& nearest_point(const std::vector<ConvergencePoint>& points,
                                      std::int64_t batch);

}  // namespace oracle
