#pragma once
// Of which kind is a training run, as far as its prediction's accuracy is concerned?
//
//   kind        what the strategy divides: "one device", "data parallel", "data+filter", …
//   scale       "one device", "one node", "several nodes"
//   generation  of the GPU; "cpu"
//   precision   "fp32", "tf32", "fp16", "bf16"
//
// Worked: data:8,filter:4 on 8 nodes of 4 V100: "data+filter" on several nodes, volta, fp32
//                                                            tests/accuracy/run_class_test.cpp

#include <string>

#include "oracle/cluster/cluster.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"

namespace oracle {

struct RunClass {
  std::string kind, scale, generation, precision;
  bool operator==(const RunClass&) const = default;
};

RunClass class_of(const Strategy& strategy, const Training& training, const Cluster& cluster);

}  // namespace oracle
