#pragma once
// How far are predictions from what others measured, run by run?
//                                                           tests/report/accuracy_report_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/accuracy/accuracy.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// One published run beside its prediction.
struct JudgedRun {
  std::string model, cluster, device, framework, strategy, precision;
  std::int64_t batch = 1;
  bool fitted = false;  ///< constants may be fitted on it: it judges nothing
  Comparison comparison;
  std::string id;      ///< file the measurement is kept in
  std::string source;  ///< who measured
};

/// "+12 %", "-3.4 %"
Cell signed_share(double fraction);

/// `left_out`: runs that the engine says cannot run, a line each. `each`: whether a table shows the
/// runs one by one; JSON and CSV always hold them.
Document accuracy_report(std::span<const JudgedRun> runs, std::vector<std::string> left_out,
                         bool each);

}  // namespace oracle::report
