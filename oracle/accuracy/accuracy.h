#pragma once
// How far off are predictions from measurements?
//
//   signed error = (predicted − measured) / measured
//
// A good interval holds nine in ten measurements. Errors stay in the table however large they are.
// Worked: predicted 110 ms ± 20 %, measured 100 ms → +10 %, inside.
// tests/accuracy/accuracy_test.cpp

#include <span>

#include "oracle/base/cost.h"

namespace oracle {

struct Comparison {
  Cost predicted;
  Seconds measured;

  double signed_error() const;
  bool inside_interval() const;
};

/// Quantiles of the absolute error, the worst signed one, and the share of measurements that lie
/// inside their prediction's interval. All 0 where there is nothing to judge.
struct Accuracy {
  std::size_t count = 0;
  double median = 0;
  double p90 = 0;
  double worst = 0;     ///< signed
  double bias = 0;      ///< mean signed error
  double coverage = 0;  ///< of the 90 % intervals
};

Accuracy judge(std::span<const Comparison> comparisons);

/// The same of errors that have no interval: nothing is covered.
Accuracy judge_errors(std::span<const double> signed_errors);

}  // namespace oracle
