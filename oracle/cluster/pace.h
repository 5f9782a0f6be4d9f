#pragma once
// How fast do a cluster's kernels run, as steps of jobs on it say?
//
// A measured step says by one factor how much longer all kernels take than priced: clocks, drivers
// and releases that no one described. A part of it jobs have in common, a part each has for itself:
//
//   log factor = sum of the jobs' log factors / (n + r)
//
// r is the variance of a job's own part over that of the common one, 0.2 of published steps that
// constants may be fitted on. It is the best linear estimate of what is in common (Searle, Casella,
// McCulloch, Variance Components, 1992, section 3.4). The widest errors have less in common, 0.525
// of their variance: of an interval that nine in ten keep to three quarters are left by one job.
//
// Worked: one job whose kernels took 1.2 times as long: 1.16; two of them: 1.18
//                                                                     tests/cluster/pace_test.cpp

#include <cstddef>
#include <span>

namespace oracle {

struct Pace {
  double factor = 1;     ///< kernels take as many times as long as priced
  std::size_t jobs = 0;  ///< that said so

  /// What is left of the uncertainty of kernels: 1 without a job.
  double unknown() const;
};

/// Of jobs on one cluster, one factor each, above 0.
Pace pace_of(std::span<const double> factors);

}  // namespace oracle
