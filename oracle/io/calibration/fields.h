#pragma once
// How are the plain figures of samples and profiles read? Each records a problem where the member
// is missing, of another type or out of range.
//                                             tests/io/calibration/samples_reader_test.cpp

#include <cstdint>
#include <string_view>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"
#include "oracle/cluster/storage.h"
#include "oracle/graph/layer.h"
#include "oracle/io/json/document.h"

namespace oracle::fields {

inline constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

/// A number of seconds from 1e-12 to 1e9.
Seconds seconds(json::ObjectReader& row, std::string_view key);

/// A number of bytes from 0.
Bytes bytes(json::ObjectReader& row, std::string_view key);

/// Members "pass" and "type".
Pass pass(json::ObjectReader& row);
DataType type(json::ObjectReader& row);

/// Member "operation".
StorageOperation storage_operation(json::ObjectReader& row);

}  // namespace oracle::fields
