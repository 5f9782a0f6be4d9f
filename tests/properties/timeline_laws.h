#pragma once
// Is this a timeline that the plan allows, and does its summary say what its events say?
//
//   a stream runs one event at a time        end(a) ≤ start(b) for neighbours on a stage's stream
//   an item waits for what it needs          end(need) ≤ start(item), within one micro-batch
//   stages wait for each other's messages    forward up the pipeline, backward down
//   a gradient is made, then exchanged       bytes exchanged ≤ bytes made, at any time; without
//                                            overlap all of backward comes first
//   each item runs once per micro-batch, exchange and update once
//   length ≥ critical path ≥ busiest stream
//   forward + backward + update + exposed + bubble = length,  exposed ≤ communication
//                                                            tests/properties/timeline_test.cpp

#include <string>

#include "oracle/plan/plan.h"
#include "oracle/timeline/timeline.h"

namespace oracle {

/// The first law that the events break, or "".
std::string broken_order(const Plan& plan, const Timeline& timeline);

/// The first law that the totals break, or "".
std::string broken_totals(const Plan& plan, const Timeline& timeline);

}  // namespace oracle
