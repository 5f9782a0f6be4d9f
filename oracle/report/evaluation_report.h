#pragma once
// What does one strategy cost, in full?
//
//   step 41.2 ms ± 12 %   1,553 samples/s   9.10 of 15.9 GiB per GPU   fits
//
// then what the step consists of, what limits it, what memory is for, and what was assumed; by
// layer, by transfer, by phase and as a timeline where asked for. A strategy that does not fit is
// answered with need, have and remedy, and with no time. tests/report/evaluation_report_test.cpp

#include <cstdint>
#include <optional>

#include "oracle/evaluate/sensitivity.h"
#include "oracle/evaluate/storage_costs.h"
#include "oracle/report/run_section.h"
#include "oracle/report/sections.h"

namespace oracle::report {

enum class By : std::uint8_t { none, layer, transfer, phase };

/// What a table shows beside the answer. JSON holds layers, transfers and phases always.
struct EvaluationView {
  By by = By::none;
  bool timeline = false;
  bool memory = false;  ///< every category, where the peak lies, and the course of a micro-batch
  std::size_t columns = 100;  ///< of drawings
  std::optional<WholeRun> run{};
  bool trace = false;  ///< events and memory over time, for the format of that name
  const Sensitivity* sensitivity = nullptr;  ///< shown where there is one
  const StorageCosts* storage = nullptr;     ///< shown where there is one
};

Document evaluation_report(const Subject& subject, const Evaluation& evaluation,
                           const EvaluationView& view = {});

}  // namespace oracle::report
