#pragma once
// What is a cluster's GPU to several ranks that share it?
//
// NCCL refuses two ranks on one device unless they seem to be on different hosts (NCCL_HOSTID); it
// then goes from device to host memory, through a socket of the machine and back, whatever links
// the devices have. Each rank has its share of the device: of its multiprocessors, with CUDA MPS,
// or of its time. Nothing of that was measured: the figures of the sockets are assumed, and said
// with every answer (oracle-bench-links --device gpu measures them).
//
// Worked: one node of 8 H200, 4 ranks on each GPU, 6 ranks: 2 GPUs in one machine, a quarter of
// 132 multiprocessors and of the memory a rank            tests/cluster/shared_device_test.cpp

#include <cstdint>

#include "oracle/cluster/cluster.h"

namespace oracle {

inline constexpr std::int64_t kMostRanksPerGpu = 64;

struct DeviceSharing {
  std::int64_t ranks = 1;    ///< on each device
  bool partitioned = false;  ///< CUDA MPS; else ranks take turns
};

/// "4 ranks on each GPU, each on a quarter of its multiprocessors (CUDA MPS)"
std::string to_text(const DeviceSharing& sharing);

/// As many devices as `ranks` need, of one machine, shared. Requires more than one rank a device.
Cluster with_shared_devices(Cluster cluster, const DeviceSharing& sharing, std::int64_t ranks);

}  // namespace oracle
