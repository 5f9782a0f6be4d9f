#include "oracle/calibrate/plain_model_fit.h"

#include <Eigen/QR>
#include <algorithm>
#include <array>
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
constexpr Eigen::Index kPlainUnknowns = 3;
constexpr double kHuber = 1.345;
constexpr double kLeastError = 1e-6;
/// Elements with which a cache may be full: 128 KiB to 64 MiB of fp32.
constexpr std::array<double, 4> kFullCaches = {0x1p15, 0x1p18, 0x1p21, 0x1p24};
/// Kernels on either side of one that counts.
constexpr std::ptrdiff_t kLeastAside = 4;

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

/// What each kernel's time is the sum of, but for the factors: a row for each.
MatrixXd unknowns_of(std::span<const KernelWork> work, std::span<const double> full) {
  MatrixXd rows(std::ssize(work), kPlainUnknowns + std::ssize(full));
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const KernelWork& kernel = work[static_cast<std::size_t>(i)];
    rows.row(i).head<kPlainUnknowns>() << 1, kernel.operations, kernel.elements;
    Eigen::Index column = kPlainUnknowns;
    for (const double elements : full) {
      rows(i, column++) = std::max(0.0, kernel.elements - elements);
    }
  }
  return rows;
}

}  // namespace

std::vector<double> full_caches_among(std::span<const KernelWork> work) {
  std::vector<double> full;
  for (const double elements : kFullCaches) {
    const std::ptrdiff_t beyond =
        std::count_if(work.begin(), work.end(),
                      [&](const KernelWork& kernel) { return kernel.elements > elements; });
    const std::ptrdiff_t within = std::ssize(work) - beyond;
    if (std::min(beyond, within) >= kLeastAside) full.push_back(elements);
  }
  return full;
}

PlainModel fit_plain_model(std::span<const KernelWork> work, std::span<const double> seconds,
                           std::span<const double> full_caches) {
  const MatrixXd rows = unknowns_of(work, full_caches);
  const VectorXd times = VectorXd::Map(seconds.data(), std::ssize(seconds));
  VectorXd weights = VectorXd::Ones(times.size()), largest = times;
  VectorXd found;
  for (int round = 0; round < kMostRounds; ++round) {
    const VectorXd scale = largest.cwiseInverse();
    found = non_negative(scale.asDiagonal() * rows, scale.cwiseProduct(times), weights);
    largest = (rows * found).cwiseMax(times);
    weights = reweighted((rows * found - times).cwiseQuotient(largest));
  }
  PlainModel model{Seconds{found[0]}, found[1], found[2], {}};
  Eigen::Index unknown = kPlainUnknowns;
  for (const double elements : full_caches) {
    const double per_element = found[unknown++];
    if (per_element > 0) model.full_caches.push_back({elements, per_element});
  }
  return model;
}

}  // namespace oracle
