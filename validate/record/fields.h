#pragma once
// What do the readers of runs and predictions share? tests/validate/record/measurement_test.cpp

#include <string>
#include <vector>

#include "oracle/io/json/document.h"
#include "validate/record/measurement.h"

namespace oracle {

inline constexpr std::int64_t kMostSamples = 1'000'000'000;  ///< and ranks
inline constexpr std::int64_t kMostStages = 1'000'000;

/// A number of at least 0 that must be there.
double required_number(json::ObjectReader& object, std::string_view key);

/// Model, strategy, batch, precision, optimizer and cluster.
Asked read_asked(json::ObjectReader& object);

/// A document of one of our schemas; throws InputError naming those that were expected.
std::string schema_of(const json::Document& document);
[[noreturn]] void refuse_schema(const json::Document& document, const std::string& expected);

}  // namespace oracle
