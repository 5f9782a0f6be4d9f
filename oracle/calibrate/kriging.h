#pragma once
// How well do kernels foretell each other, and with which weights?
//
// Kriging of values y at points x with noise of each point's own (Rasmussen & Williams, "Gaussian
// Processes for Machine Learning", 2006):
//
//   K = deviation²·C + slope²·X·Xᵀ + diag(noise_i²),   α = K⁻¹·(y − mean) (2.2, 2.7) weights =
//   deviation²·α,   slopes = slope²·Xᵀ·α            X: the points less their center left-out error
//   e_i = [K⁻¹(y − mean)]_i / [K⁻¹]_ii                                       (5.4.2)
//
// A point whose left-out error is over four times the usual one and 50 % is taken as noise of that
// size, and all is solved again, until the same points are found.
//                                                            tests/calibrate/kriging_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/kernel_fit.h"

namespace oracle {

struct Kriging {
  std::vector<double> weights;
  KernelFeatures slopes{};
  std::vector<double> left_out;  ///< measured − foretold by all others, in the logarithm
  std::vector<bool> outlier;
};

/// Of values at points, with the lengths, mean, center and deviation of `fit`. `noise`: of each,
/// relative. `slope`: how steep a trend is thought to be, per unit of a feature.
Kriging krige(const KernelFit& fit, std::span<const KernelFeatures> at,
              std::span<const double> values, std::span<const double> noise, double slope = 0);

}  // namespace oracle
