#pragma once
// What does Linux report of a machine?
//
// From the files below `root` (tests give a folder of their own):
//
//   proc/cpuinfo, sys/devices/system/cpu/cpu*/topology     name; sockets, cores, threads
//   proc/meminfo, sys/devices/system/node/node*            memory, NUMA nodes
//   sys/class/net/*                                        speed [Mbit/s], operstate, NUMA node
//   sys/class/infiniband/*/ports/*/rate                    "100 Gb/sec (4X EDR)"
//   proc/driver/nvidia/gpus/*/information                  "Model:", "Bus Location:"
//
// Virtual machines leave out much of it; what is not there stays unknown, with a sentence. An
// interface that is down, or virtual, reports -1 or nothing for its speed.
//
// Worked: the "speed" 100000 of sys/class/net/ens1 is 12.5 GB/s
//                                                     tests/io/machine/machine_reader_test.cpp

#include <filesystem>

#include "oracle/cluster/machine.h"
#include "oracle/io/machine/slurm.h"

namespace oracle {

/// `usable` processors of this process; the environment has the batch system's variables. Throws
/// InputError where those are not what the batch system writes.
Machine read_machine(const std::filesystem::path& root, std::int64_t usable,
                     const Environment& environment);

/// The machine that this program runs on.
Machine read_this_machine();

}  // namespace oracle
