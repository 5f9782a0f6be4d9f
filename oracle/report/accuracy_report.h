#pragma once
// How far are predictions from what others measured, run by run?
//                                                           tests/report/accuracy_report_test.cpp

#include <string>
#include <vector>

#include "oracle/accuracy/accuracy.h"
#include "oracle/accuracy/run_class.h"
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
  RunClass what;
  std::int64_t ranks = 1;
  /// What it has in common with runs on other numbers of ranks; empty: it is not data parallel.
  std::string series{};
  std::string setting{};  ///< what it has in common with runs by other strategies
};

/// One published collective beside its prediction.
struct JudgedCollective {
  std::string link;   ///< kind of the widest link that it crosses: "nvlink"
  std::string joins;  ///< "GPUs" of a node, or "nodes"
  Bytes message;
  bool fitted = false;
  Comparison comparison;
};

/// How right a source's own model was, as its mean accuracy 1 - |error|, on runs of one kind.
struct Projection {
  std::string id;    ///< file of the runs
  std::string kind;  ///< RunClass::kind
  double accuracy = 0;
};

/// One published kernel, repeated alone, beside its prediction.
struct JudgedKernel {
  std::string device, precision;
  std::string kind;  ///< "large product", "weight gradient", …
  bool fitted = false;
  double signed_error = 0;
};

/// The memory of one rank of a published run, beside its prediction.
struct JudgedMemory {
  std::string id;  ///< file of the run
  bool fitted = false;
  double signed_error = 0;
};

/// A run as predicted without and with the step of another known, of the same network and device.
struct PacedRun {
  std::string scale;  ///< RunClass::scale
  bool fitted = false;
  Comparison before, after;
};

struct AccuracyStudy {
  std::vector<JudgedRun> runs;
  std::vector<PacedRun> paced;
  std::vector<JudgedMemory> memories;
  std::vector<JudgedKernel> kernels;
  std::vector<JudgedCollective> collectives;
  std::vector<Projection> projections;
  std::vector<std::string> refused;  ///< runs that the engine says do not fit, a line each
};

/// "fit", "judge"
std::string_view set_of(bool fitted);

/// "+12 %", "-3.4 %"
Cell signed_share(double fraction);

/// What tables show beside the sums; JSON and CSV hold all.
struct AccuracyView {
  bool runs = false;     ///< one by one
  bool kernels = false;  ///< by device
};

Document accuracy_report(const AccuracyStudy& study, const AccuracyView& view = {});

}  // namespace oracle::report
