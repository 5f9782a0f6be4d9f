#pragma once
// What is wrong with a text that is no JSON, in words that help?
//
// nlohmann's message is recognized by a part of it.          tests/io/json/document_test.cpp

#include <string_view>

#include "oracle/base/error.h"

namespace oracle::json {

/// Message and remedy; the place is the caller's.
Problem explain(std::string_view parser_message);

}  // namespace oracle::json
