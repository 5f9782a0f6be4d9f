#pragma once
// What is the machine this program runs on?
//
// Linux reports the processor, its flags and caches and the memory; the rest is assumed and said
// so. The machine is one device whose usable processors are its ranks. A core does, each cycle, as
// many fp32 operations as its widest vectors hold times two (a multiply-add) times two units:
//
//   peak = processors · MHz · 64 (AVX-512), 32 (AVX2 with FMA), 16 (AVX), 8 (SSE)
//
// Fog, "The microarchitecture of Intel, AMD and VIA CPUs", 2023, has the units of each core.
//
// Worked: 2 processors of 2500 MHz with AVX2 and FMA → 160 GFLOP/s tests/io/clusters/here_test.cpp

#include <cstdint>
#include <string_view>

#include "oracle/cluster/cluster.h"

namespace oracle {

/// The cluster described by the texts of /proc/cpuinfo and /proc/meminfo, the number of processors
/// this process may use and what their last caches hold (base/last_cache.h). What the texts
/// lack is assumed; where no cache is known, cpuinfo's counts.
Cluster describe_host(std::string_view cpuinfo, std::string_view meminfo, std::int64_t processors,
                      Bytes last_caches = {});

}  // namespace oracle
