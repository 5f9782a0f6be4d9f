#pragma once
// What follows from the kernels measured for one that was not?
//
// Per family, pass and number format: a plain model of the device, and what the kernels measured
// nearby say about how far off it is:
//
//   t(x) = plain(x) · exp( mean + slopes·(x − center) + Σ_i w_i·c(x, x_i) )      plain_model.h
//   c    = (1 + √3·r)·exp(−√3·r),   r² = Σ_d ((x_d − x_id) / length_d)²     in log2 of the shape
//
// that is, kriging with a linear trend and a Matérn 3/2 covariance: through the points measured but
// for their noise, and back to the trend far from all of them; beyond the shapes measured the trend
// stays what it is at their edge. Rasmussen & Williams, "Gaussian Processes for
// Machine Learning", 2006, 2.2, 2.7 and 4.2. The variance is bounded by that of knowing the nearest
// point alone, widened so that nine in ten kernels left out of the fit lie inside (`spread`):
//
//   u(x) = exp( spread·√( deviation²·(1 − max_i c²) + noise² ) ) − 1
//
// Worked: one point 20 % above the plain model: 20 % there, nothing 8 lengths away
//                                                              tests/cluster/kernel_fit_test.cpp

#include <string>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/kernel_key.h"
#include "oracle/cluster/plain_model.h"

namespace oracle {

/// A kernel measured, and how much it pulls.
struct KernelPoint {
  KernelFeatures at{};
  double weight = 0;
  bool operator==(const KernelPoint&) const = default;
};

struct KernelFit {
  std::string family;
  std::uint8_t pass = 0;
  DataType type = DataType::fp32;

  PlainModel plain;
  double mean = 0;           ///< of log(measured / plain)
  KernelFeatures center{};   ///< of the points
  KernelFeatures slopes{};   ///< of log(measured / plain), per unit of a feature
  double deviation = 0;      ///< of the same, about the mean
  double noise = 0;          ///< of the measurements, relative
  KernelFeatures lengths{};  ///< over which kernels resemble each other, in log2 of the shape
  std::vector<KernelPoint> points;

  double spread = 1;          ///< half-widths of 90 % in standard deviations
  double median_error = 0;    ///< |log(predicted / measured)| of shapes left out, one at a time
  double high_error = 0;      ///< of nine in ten of them at most
  std::int64_t outliers = 0;  ///< points that the others contradict; they pull no more
  bool operator==(const KernelFit&) const = default;
};

/// Whether all features of `at` lie between the least and the most of the fit's points.
bool inside(const KernelFit& fit, const KernelFeatures& at);

/// How alike two shapes are, from 0 to 1.
double covariance(const KernelFit& fit, const KernelFeatures& a, const KernelFeatures& b);

/// Interpolated inside of what was measured; outside, assumed, and at least twice as uncertain.
Cost price_of(const KernelFit& fit, const KernelKey& key);

}  // namespace oracle
