#pragma once
// Which storage does a file describe?                 tests/io/clusters/storage_reader_test.cpp

#include <string_view>

#include "oracle/cluster/storage_system.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Throws InputError with every problem of the file.
StorageSystem read_storage(const json::Document& document);

/// A name of data/storage or a path.
StorageSystem load_storage(std::string_view name);

}  // namespace oracle
