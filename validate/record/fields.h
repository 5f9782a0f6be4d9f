#pragma once
// What do the readers of runs and predictions share? tests/validate/record/measurement_test.cpp

#include <string>
#include <vector>

#include "oracle/io/json/document.h"
#include "oracle/io/predictions/prediction_reader.h"
#include "validate/record/measurement.h"

namespace oracle {

/// A document of one of our schemas; throws InputError naming those that were expected.
std::string schema_of(const json::Document& document);
[[noreturn]] void refuse_schema(const json::Document& document, const std::string& expected);

}  // namespace oracle
