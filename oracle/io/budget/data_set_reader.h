#pragma once
// Which data set does a file describe?                  tests/io/budget/data_set_reader_test.cpp

#include <string_view>

#include "oracle/budget/data_set.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Throws InputError with every problem of the file.
DataSet read_data_set(const json::Document& document);

/// A name of data/datasets or a path.
DataSet load_data_set(std::string_view name);

}  // namespace oracle
