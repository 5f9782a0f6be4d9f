#pragma once
// What does NCCL know of a machine, according to the XML it dumps?
//
// NCCL_TOPO_DUMP_FILE holds the node of the rank that wrote it: <system> of <cpu numaid> of nested
// <pci busid> of <gpu dev sm> with <nvlink target count>, and <nic> of <net name speed>, speeds in
// Mbit/s. Attributes are texts such as "32.0 GT/s PCIe"; numaid may be "0x1". The file has no
// names of GPUs.
//
// Worked: <net name="mlx5_0" speed="400000"> is 50 GB/s    tests/io/machine/nccl_topology_test.cpp

#include <filesystem>
#include <string>
#include <string_view>

#include "oracle/cluster/machine.h"

namespace oracle {

/// Whether this program was built with an XML reader (tinyxml2).
bool reads_nccl_topology();

/// GPUs and interfaces take the place of the machine's own; so do the sentences about them. Throws
/// InputError with the line of what is no such file, EnvironmentError where there is not XML
/// reader.
void add_nccl_topology(std::string_view xml, const std::string& name, Machine& machine);

/// Throws EnvironmentError where the file cannot be read, too.
void load_nccl_topology(const std::filesystem::path& file, Machine& machine);

}  // namespace oracle
