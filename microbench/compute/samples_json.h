#pragma once
// In which form does a session reach whoever fits it?
//
// "oracle/samples/1", as data/schema/samples.schema.json has it; oracle/io/calibration reads it.
// Times are in seconds.                            tests/microbench/compute/session_test.cpp

#include <string>

#include "microbench/compute/session.h"
#include "microbench/timing/context.h"

namespace oracle {

std::string samples_json(const MeasuringContext& context, const SessionResult& result);

}  // namespace oracle
