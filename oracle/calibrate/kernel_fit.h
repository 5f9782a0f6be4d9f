#pragma once
// How is the fit of a family of kernels found (cluster/kernel_fit.h)?
//
// 1. The plain model that minimizes the relative errors, by least squares reweighted after Huber
//    (Holland & Welsch, Comm. Stat. A6, 1977; plain_model_fit.h): a kernel that is off by a factor
//    of ten pulls a little, not a hundredfold. Of what streams, the one with full caches or the one
//    without, by which kernels are foretold better in 3.
// 2. Kriging of what is left, log(t/plain). Kernels that all others contradict by more than four
//    times the usual error and 50 % are taken as noise of that size: they pull no more.
// 3. Lengths, noise and how steep a trend may be: those by which kernels, left out one at a time,
// are foretold best from the
//    others. Left-out errors need no second fit: e_i = [K⁻¹y]_i / [K⁻¹]_ii (Rasmussen & Williams,
//    2006, 5.4.2), each cut off at a factor of e.
//
// Fewer than kLeastKernels of a family make no fit; a fit whose left-out errors are over
// kBadError in the median is said to be bad, and its table counts all the same.
//
// Worked: t = 2 us + 0.5 ns·operations gives back 2 us and 0.5 ns, with two of thirty kernels ten
// times as slow                                              tests/calibrate/kernel_fit_test.cpp

#include <span>
#include <vector>

#include "oracle/cluster/profile.h"

namespace oracle {

inline constexpr std::size_t kLeastKernels = 4;
inline constexpr double kBadError = 0.25;

/// A fit for each family, pass and number format of the table that has kernels enough, by family.
std::vector<KernelFit> fit_kernels(std::span<const KernelTime> table);

/// The fit of kernels of one family, pass and format.
KernelFit fit_family(std::span<const KernelTime> kernels);

inline bool is_bad(const KernelFit& fit) { return fit.median_error > kBadError; }

}  // namespace oracle
