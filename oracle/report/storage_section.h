#pragma once
// What do input and checkpoints add to a step?       tests/report/storage_section_test.cpp

#include <string>

#include "oracle/evaluate/storage_costs.h"
#include "oracle/report/document.h"
#include "oracle/report/sections.h"

namespace oracle::report {

Fields storage_fields(const StorageCosts& costs);

/// "a rank reads 32 samples of 114 kB from nfs in 48 ms; 4 workers to read take 10 ms; 3 ms of each
/// step are waiting for storage"
std::string input_sentence(const InputCost& input, const StorageRequest& request);

/// Adds what is assumed of a storage: "storage nfs: writes as it reads", each text once.
void assume(const StorageSystem& storage, Subject& subject);

}  // namespace oracle::report
