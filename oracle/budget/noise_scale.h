#pragma once
// From which batch on do gradients say little more than those of a smaller one?
//
// The simple noise scale is the batch at which noise and gradient are as large as each other, an
// estimate of the critical batch of convergence.h (McCandlish et al., arXiv 1812.06162, section 2.2
// and appendix A.1). With G the gradient over all data and Σ the covariance of single samples',
//
//   B_simple = tr(Σ)/|G|²
//
// Batches of b and B samples, with the same weights, give unbiased estimates of both, for a batch
// of n has E|g|² = |G|² + tr(Σ)/n:
//
//   |G|²  = (B·|g_B|² − b·|g_b|²)/(B − b)
//   tr(Σ) = (|g_b|² − |g_B|²)/(1/b − 1/B)
//
// Each is averaged over steps, and then divided. Where small batches differ, 1/b is the mean of
// their inverses. The interval is a jackknife's over stretches of steps (Tukey, 1958), of
// |G|²/tr(Σ), whose divisor is far from zero.
//
// Worked: |g_b|² 14 at b = 1, |g_B|² 6.5 at B = 4: |G|² 4, tr(Σ) 10, B_simple 2.5
//                                                          tests/budget/noise_scale_test.cpp

#include <cstddef>
#include <span>

namespace oracle {

/// |g|² of a small batch, the mean of some, and of a large one, with the same weights.
struct NoiseStep {
  double small = 0, large = 0;
};

/// Samples of both.
struct NoiseBatches {
  double small = 1;  ///< the harmonic mean, where they differ
  double large = 2;
};

struct NoiseScale {
  double noise = 0;   ///< tr(Σ)
  double signal = 0;  ///< |G|²
  /// Of the scale, 90 %: infinite where the gradient may be nothing but noise.
  double low = 0, high = 0;

  /// Samples; infinite where nothing but noise was found.
  double batch() const;
};

/// Stretches of the jackknife, where there are as many steps.
inline constexpr std::size_t kNoiseStretches = 20;

/// Requires steps, and a large batch that is larger. The interval is 0 to infinity of one step, and
/// where samples hardly differ.
NoiseScale noise_scale(std::span<const NoiseStep> steps, const NoiseBatches& batches);

}  // namespace oracle
