#include "oracle/calibrate/kriging.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/base/statistics.h"

namespace oracle {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kRounds = 5;
constexpr double kUsualErrors = 4;
constexpr double kLeastOutlier = 0.405;  ///< log 1.5

double usual_size(const VectorXd& errors) {
  std::vector<double> sizes;
  for (Index i = 0; i < errors.size(); ++i) sizes.push_back(std::abs(errors[i]));
  return kDeviationPerMedian * median(std::move(sizes));
}

MatrixXd covariances(const KernelFit& fit, std::span<const KernelFeatures> at) {
  const auto n = static_cast<Index>(at.size());
  MatrixXd result(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      result(i, j) = result(j, i) =
          fit.deviation * fit.deviation *
          covariance(fit, at[static_cast<std::size_t>(i)], at[static_cast<std::size_t>(j)]);
    }
  }
  return result;
}

MatrixXd centered(const KernelFit& fit, std::span<const KernelFeatures> at) {
  MatrixXd result(static_cast<Index>(at.size()), static_cast<Index>(kKernelFeatures));
  for (Index i = 0; i < result.rows(); ++i) {
    for (Index d = 0; d < result.cols(); ++d) {
      const auto feature = static_cast<std::size_t>(d);
      result(i, d) = at[static_cast<std::size_t>(i)][feature] - fit.center[feature];
    }
  }
  return result;
}

}  // namespace

Kriging krige(const KernelFit& fit, std::span<const KernelFeatures> at,
              std::span<const double> values, std::span<const double> noise, double slope) {
  const auto n = static_cast<Index>(at.size());
  const MatrixXd from_center = centered(fit, at);
  const MatrixXd alike =
      covariances(fit, at) + slope * slope * from_center * from_center.transpose();
  VectorXd off(n), variance(n);
  for (Index i = 0; i < n; ++i) {
    off[i] = values[static_cast<std::size_t>(i)] - fit.mean;
    variance[i] = std::pow(noise[static_cast<std::size_t>(i)], 2);
  }
  Kriging out;
  out.outlier.assign(at.size(), false);
  for (int round = 0; round < kRounds; ++round) {
    MatrixXd whole = alike;
    whole.diagonal() += variance;
    const Eigen::LLT<MatrixXd> factor(whole);
    ensure(factor.info() == Eigen::Success, "kriging: noise makes the matrix definite");
    const MatrixXd root = factor.matrixL().solve(MatrixXd::Identity(n, n));
    const VectorXd weights = factor.solve(off);
    const VectorXd errors = weights.cwiseQuotient(root.colwise().squaredNorm().transpose());
    const VectorXd scaled = fit.deviation * fit.deviation * weights;
    const VectorXd slopes = slope * slope * from_center.transpose() * weights;
    out.weights.assign(scaled.data(), scaled.data() + n);
    std::copy(slopes.data(), slopes.data() + slopes.size(), out.slopes.begin());
    out.left_out.assign(errors.data(), errors.data() + n);
    const double limit = std::max(kUsualErrors * usual_size(errors), kLeastOutlier);
    // A point's left-out error does not depend on its own noise, so one that only looked wrong
    // beside an outlier comes back once that one pulls no more.
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      const auto at_i = static_cast<std::size_t>(i);
      const bool wrong = std::abs(errors[i]) > limit;
      changed = changed || wrong != out.outlier[at_i];
      out.outlier[at_i] = wrong;
      variance[i] = noise[at_i] * noise[at_i] + (wrong ? errors[i] * errors[i] : 0);
    }
    if (!changed) break;
  }
  return out;
}

}  // namespace oracle
