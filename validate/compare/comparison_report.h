#pragma once
// How does a comparison read?
//
// One sentence with the error and the verdict; the run's losses, spread and promises; the parts of
// the step; on request layers and transfers. JSON holds all of them, with the context of the run.
//                                              tests/validate/compare/comparison_report_test.cpp

#include "oracle/report/document.h"
#include "validate/compare/comparison.h"

namespace oracle {

enum class ByItem : std::uint8_t { none, layer, transfer };

/// Whether every promise was kept: bytes, and equality with the serial run where it was checked.
bool promises_hold(const RunComparison& comparison, const Measurement& run);

report::Document comparison_report(const RunComparison& comparison, const Prediction& prediction,
                                   const Measurement& run, ByItem by);

}  // namespace oracle
