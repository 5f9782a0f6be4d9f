#pragma once
// In which form do rates of storage reach whoever fits them?
//
// "oracle/samples/1", as data/schema/samples.schema.json has it; seconds and bytes.
//                                            tests/microbench/storage/samples_json_test.cpp

#include <span>
#include <string>

#include "microbench/timing/context.h"
#include "microbench/timing/series.h"

namespace oracle {

/// One operation on so many bytes.
struct StorageTimes {
  std::string operation;  ///< "read_random", "decode", …
  std::uint64_t bytes = 0;
  std::int64_t workers = 1;
  bool cached = false;
  Series series;
};

std::string storage_samples_json(const MeasuringContext& context,
                                 std::span<const StorageTimes> measured);

}  // namespace oracle
