#pragma once
// What does the host of some devices offer them?
//
// Memory of its own, to which each device has a link, and processors that compute there. What a
// strategy offloads crosses the link, and lies or is updated there. A cluster file says how fast
// and how large they are ("host"); where it does not, they are usual next to such a device:
//
//   devices              link, each way               memory by data sheet           of each device
//   to Volta and Turing  PCI Express 3 x16  12 GB/s   12x DDR4-2666        256 GB/s       64 GiB
//   Ampere, Ada          PCI Express 4 x16  24 GB/s   16x DDR4-3200        410 GB/s      128 GiB
//   Hopper, Blackwell    PCI Express 5 x16  50 GB/s   16x DDR5-4800        614 GB/s      256 GiB
//
// Of the links it is what large copies reach, three quarters and more of 15.75, 31.5 and 63 GB/s.
// A device whose file has "host_link" (superchips) has that one.
// Capacities are those of DGX-1 (512 GiB), DGX A100 (1 TiB) and DGX H100 (2 TiB), of 8 devices.
//
// Worked: of an A100 a gigabyte goes down in 41.7 ms          tests/cluster/host_test.cpp

#include <cstdint>
#include <string_view>

#include "oracle/base/units.h"
#include "oracle/cluster/device.h"

namespace oracle {

struct Host {
  Bandwidth link{12e9};               ///< of a device, each way
  Seconds latency{10e-6};             ///< of a copy
  Bandwidth memory_bandwidth{256e9};  ///< of all its memory, by data sheet
  Bytes memory{0x1p36};               ///< all of it
  std::int64_t devices = 1;           ///< that have it in common
  bool operator==(const Host&) const = default;
};

/// What is usual next to a device, for so many of them.
Host usual_host(const Device& device, std::int64_t devices);

/// What that is: "PCI Express 4 x16".
struct UsualHostTexts {
  std::string_view link, memory_bandwidth, memory;
};
UsualHostTexts usual_host_texts(Generation generation);

}  // namespace oracle
