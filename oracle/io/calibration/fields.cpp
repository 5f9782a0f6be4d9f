#include "oracle/io/calibration/fields.h"

#include <string>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle::fields {
namespace {

constexpr double kLeastSeconds = 1e-12, kMostSeconds = 1e9;
/// A member that must be there has no number this low.
constexpr double kAbsent = -1;

template <typename Value>
Value named(json::ObjectReader& row, std::string_view key, std::size_t count) {
  const std::string name = row.string(key);
  std::vector<std::string> known;
  for (std::size_t i = 0; i < count; ++i) {
    known.emplace_back(name_of(static_cast<Value>(i)));
    if (known.back() == name) return static_cast<Value>(i);
  }
  if (row.has(key)) row.problem(key, in_quotes(name) + " is none", suggestion(name, known));
  return Value{};
}

double required(json::ObjectReader& row, std::string_view key) {
  if (!row.has(key)) {
    row.problem("", "has no \"" + std::string(key) + "\"", "add it");
    return kAbsent;
  }
  return row.number(key, 0, kAbsent);
}

}  // namespace

Seconds seconds(json::ObjectReader& row, std::string_view key) {
  const double value = required(row, key);
  if (value >= kLeastSeconds && value <= kMostSeconds) return Seconds{value};
  if (value != kAbsent) {
    row.problem(key, "is not a time that anything takes",
                "write a number of seconds from 1e-12 to 1e9");
  }
  return Seconds{1};
}

Bytes bytes(json::ObjectReader& row, std::string_view key) {
  return Bytes{static_cast<double>(row.integer(key, 0, kMostCount))};
}

Pass pass(json::ObjectReader& row) { return named<Pass>(row, "pass", kPassCount); }

DataType type(json::ObjectReader& row) { return named<DataType>(row, "type", kDataTypeCount); }

StorageOperation storage_operation(json::ObjectReader& row) {
  return named<StorageOperation>(row, "operation", kStorageOperationCount);
}

}  // namespace oracle::fields
