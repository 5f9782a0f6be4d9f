#pragma once
// How long do a copy between a device and its host, and an update on the host, take?
//
//   copy      α + S·r / B        B of the device's link, which its r ranks share
//   update    S·n / 0.46·M       S what the optimizer reads and writes there, M of the memory,
//                                which the n ranks on one host share
//
// An update is bound by memory: Adam has 12 operations for 28 bytes and more. 0.46 of the data
// sheet is what the CPU-Adam of ZeRO-Offload reaches (Ren et al., USENIX ATC 2021, Table 4: 10e9
// parameters in 2.57 s, on 256 GB/s; the other rows are tests/conformance/llm_offload_test.cpp).
//
// Worked: 1 GB over 12 GB/s in 83.3 ms; of 1e9 parameters under Adam in bf16 30 GB of 256 GB/s: 255
// ms, and 2.04 s where 8 ranks do so at once                 tests/cost/host_link_test.cpp

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"

namespace oracle {

Cost host_copy(const Cluster& cluster, Bytes bytes);

/// `ranks`: of the whole plan.
Cost host_update(const Cluster& cluster, std::int64_t ranks, Bytes touched);

}  // namespace oracle
