#pragma once
// In which form do measured links reach whoever fits them?
//
// "oracle/samples/1", as data/schema/samples.schema.json has it; seconds and bytes.
//                                            tests/microbench/links/samples_json_test.cpp

#include <span>
#include <string>

#include "microbench/links/interference.h"
#include "microbench/timing/context.h"

namespace oracle {

struct MeasuredCase {
  LinkCase link_case;
  std::vector<LinkTimes> times;
};

std::string link_samples_json(const MeasuringContext& context, std::span<const MeasuredCase> cases,
                              std::span<const InterferenceTimes> interference);

}  // namespace oracle
