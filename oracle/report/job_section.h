#pragma once
// How does what a job measured compare to its prediction?
//
//   measured by the job
//     measured   4.21 s, median of 19 steps (4.18 s to 4.30 s)
//     predicted  4.05 s ± 16 %: 3.8 % less, inside its interval
//     kernels    as if they took 1.04 times as long as priced
//     allocated  58.1 GiB at most; 55.2 GiB predicted, 5.0 % less
//                                                              tests/report/job_section_test.cpp

#include <optional>
#include <span>

#include "oracle/evaluate/evaluation.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// What a job measured; bytes of 0 were not.
struct MeasuredJob {
  std::span<const Seconds> steps;
  Bytes allocated, reserved;  ///< the most of any rank
  /// How much longer kernels took than priced (evaluate/measured_pace.h), where that explains it.
  std::optional<double> factor{};
};

/// Has no rows where the job measured nothing.
Fields job_fields(const MeasuredJob& measured, const Fits& fits);

}  // namespace oracle::report
