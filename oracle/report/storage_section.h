#pragma once
// What do input and checkpoints add to a step?       tests/report/storage_section_test.cpp

#include "oracle/evaluate/storage_costs.h"
#include "oracle/report/document.h"

namespace oracle::report {

Fields storage_fields(const StorageCosts& costs);

}  // namespace oracle::report
