#pragma once
// How far are predictions from the training steps measured on one device?
//                                                      tests/report/step_accuracy_report_test.cpp

#include <span>
#include <string>
#include <vector>

#include "oracle/accuracy/step_comparison.h"
#include "oracle/report/document.h"

namespace oracle::report {

/// One measured step beside its prediction.
struct JudgedStep {
  std::string network;
  std::int64_t batch = 1;
  std::string mode;       ///< as measured: "amp"
  std::string precision;  ///< as predicted: "bf16"
  std::string how;        ///< "eager", "graph", "compile"
  StepComparison comparison;
};

/// Where the measurements come from, and what they are compared with.
struct SampleOrigin {
  std::string device;   ///< as measured
  std::string machine;  ///< as described
  std::string started;  ///< of the first run, of the last
  std::string versions;
};

/// `notes`: how the two sides correspond; `left_out`: steps that could not be compared, a line
/// each.
Document step_accuracy_report(const SampleOrigin& origin, std::span<const JudgedStep> steps,
                              std::vector<std::string> notes, std::vector<std::string> left_out);

}  // namespace oracle::report
