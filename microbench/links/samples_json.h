#pragma once
// In which form do measured links reach whoever fits them?
//
// "oracle/samples/1", as data/schema/samples.schema.json has it; seconds and bytes.
//                                            tests/microbench/links/samples_json_test.cpp

#include <string>

#include "microbench/links/session.h"
#include "microbench/timing/context.h"

namespace oracle {

std::string link_samples_json(const MeasuringContext& context, const MeasuredLinks& measured);

}  // namespace oracle
