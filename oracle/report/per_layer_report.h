#pragma once
// Which cuts does each run of layers get in the best assignment, and what is gained by it?
//                                                           tests/report/per_layer_report_test.cpp

#include "oracle/report/sections.h"
#include "oracle/search/per_layer/per_layer.h"

namespace oracle::report {

/// `best` is the answer's best evaluated with Detail::events; null where nothing fits. `training`
/// is what was searched for.
Document per_layer_report(const Subject& subject, const PerLayerAnswer& answer,
                          const Evaluation* best, std::int64_t ranks, const Training& training);

}  // namespace oracle::report
