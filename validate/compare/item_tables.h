#pragma once
// A comparison part by part, layer by layer, transfer by transfer, as tables.
//                                              tests/validate/compare/comparison_report_test.cpp

#include <string>

#include "oracle/report/document.h"
#include "validate/compare/comparison.h"

namespace oracle {

/// What the two sides are called.
struct Sides {
  std::string predicted, measured;
};

/// The step and what it consists of; the parts are those of one stage.
report::Table part_table(const RunComparison& comparison, const Sides& sides);

/// Peak memory of the hungriest rank.
report::Table memory_table(const RunComparison& comparison, const Sides& sides);

report::Table layer_pair_table(const RunComparison& comparison, const Sides& sides);
report::Table transfer_pair_table(const RunComparison& comparison, const Sides& sides);

}  // namespace oracle
