#include "oracle/calibrate/plain_model.h"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "oracle/base/statistics.h"

namespace oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kMostRounds = 30;
/// Errors past this many times the usual one weigh less.
constexpr double kHuber = 1.345;
constexpr double kLeastError = 1e-6;

/// Least squares over the columns of a set, where no unknown is negative.
bool solve_set(const MatrixXd& rows, const VectorXd& wanted, const VectorXd& weights, unsigned set,
               VectorXd& solution, double& loss) {
  std::vector<Eigen::Index> columns;
  for (Eigen::Index c = 0; c < rows.cols(); ++c) {
    if ((set >> c & 1U) != 0) columns.push_back(c);
  }
  MatrixXd part(rows.rows(), static_cast<Eigen::Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    part.col(static_cast<Eigen::Index>(c)) = weights.cwiseProduct(rows.col(columns[c]));
  }
  // Columns differ by many orders of magnitude.
  const VectorXd scale = part.colwise().norm();
  if (scale.minCoeff() <= 0) return false;
  const MatrixXd scaled = part * scale.cwiseInverse().asDiagonal();
  const VectorXd weighted = weights.cwiseProduct(wanted);
  const VectorXd found = scaled.colPivHouseholderQr().solve(weighted).cwiseQuotient(scale);
  if (found.minCoeff() < 0 || !found.allFinite()) return false;
  solution = VectorXd::Zero(rows.cols());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    solution[columns[c]] = found[static_cast<Eigen::Index>(c)];
  }
  loss = (weights.cwiseProduct(rows * solution) - weighted).squaredNorm();
  return true;
}

VectorXd non_negative(const MatrixXd& rows, const VectorXd& wanted, const VectorXd& weights) {
  VectorXd best = VectorXd::Zero(rows.cols());
  double least = std::numeric_limits<double>::infinity();
  for (unsigned set = 1; set < 1U << rows.cols(); ++set) {
    VectorXd solution;
    double loss = 0;
    if (!solve_set(rows, wanted, weights, set, solution, loss) || loss >= least) continue;
    best = solution;
    least = loss;
  }
  return best;
}

/// Square roots of Huber's weights.
VectorXd reweighted(const VectorXd& errors) {
  std::vector<double> sizes(static_cast<std::size_t>(errors.size()));
  for (Eigen::Index i = 0; i < errors.size(); ++i) {
    sizes[static_cast<std::size_t>(i)] = std::abs(errors[i]);
  }
  const double scale = std::max(kHuber * kDeviationPerMedian * median(sizes), kLeastError);
  VectorXd weights(errors.size());
  for (Eigen::Index i = 0; i < errors.size(); ++i) {
    weights[i] = std::sqrt(std::min(1.0, scale / std::max(std::abs(errors[i]), kLeastError)));
  }
  return weights;
}

}  // namespace

PlainModel fit_plain_model(std::span<const KernelWork> work, std::span<const double> seconds) {
  const auto n = static_cast<Eigen::Index>(work.size());
  MatrixXd rows(n, 3);
  VectorXd times(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    rows.row(i) << 1, work[at].operations, work[at].elements;
    times[i] = seconds[at];
  }
  VectorXd weights = VectorXd::Ones(n), largest = times;
  VectorXd found;
  for (int round = 0; round < kMostRounds; ++round) {
    const VectorXd scale = largest.cwiseInverse();
    found = non_negative(scale.asDiagonal() * rows, scale.cwiseProduct(times), weights);
    largest = (rows * found).cwiseMax(times);
    weights = reweighted((rows * found - times).cwiseQuotient(largest));
  }
  return {found[0], found[1], found[2]};
}

}  // namespace oracle
