#pragma once
// What of the document that `oracle estimate --format json` writes does a comparison need?
//
// The document holds more, and may come to hold more: members that no comparison needs are passed
// over.                                                tests/validate/record/prediction_test.cpp

#include <cstdint>
#include <string_view>

#include "oracle/io/json/document.h"
#include "oracle/record/prediction.h"

namespace oracle {

inline constexpr std::string_view kEvaluationSchema = "oracle/evaluation/1";
inline constexpr std::int64_t kMostSamples = 1'000'000'000;  ///< and ranks
inline constexpr std::int64_t kMostStages = 1'000'000;

/// A number of at least 0 that must be there.
double required_number(json::ObjectReader& object, std::string_view key);

/// Model, strategy, batch, precision, optimizer and cluster.
Asked read_asked(json::ObjectReader& object);

/// Of a document of kEvaluationSchema. Throws InputError with every problem, also where it says
/// that the strategy does not fit.
Prediction read_evaluation(const json::Document& document);

}  // namespace oracle
