#pragma once
// What is a run compared with: an evaluation, the document that `oracle estimate` wrote of one, or
// an earlier run?
//
// All three become the same value. Parts are those of the step's length on one rank of a pipeline,
// named by its first stage: of an evaluation the busiest, of a run the one that it is compared
// with, else the busiest. What no item of its stages holds (waiting for others, making the samples)
// is the rest.
//
// Worked: items of 3 + 5 + 1 ms in a step of 10 ms leave a rest of 1 ms
//                                                      tests/validate/record/prediction_test.cpp

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "validate/record/measurement.h"

namespace oracle {

/// The first stage of the rank that is busiest.
std::size_t busiest_stage(const Measurement& run);

/// The parts of the rank of `stage`, of a run whose step took `step` seconds.
StepParts parts_of(const Measurement& run, std::size_t stage, double step);

/// Of an evaluation with Detail::events that fits.
Prediction prediction_of(const Graph& graph, const Cluster& cluster, const Evaluation& evaluation);

Prediction prediction_of(const Measurement& run, std::int64_t warm_up);

/// A document of either schema. Throws InputError with every problem, also where it says that the
/// strategy does not fit.
Prediction parse_prediction(const json::Document& document, std::int64_t warm_up);

}  // namespace oracle
