#pragma once
// What is a machine made of, as its system reports it?
//
// Not what it can do: a plain list of parts, each figure absent where nothing reports it. `unknown`
// says in a sentence what could not be learnt and why.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

struct Processor {
  std::string name;
  std::optional<std::int64_t> sockets, cores, threads;  ///< of the whole machine
  std::int64_t usable = 1;                              ///< threads this process may run on
};

struct NumaNode {
  std::int64_t id = 0;
  std::int64_t threads = 0;
  std::optional<Bytes> memory;
};

struct NetworkInterface {
  std::string name;   ///< "eth0", "mlx5_0"
  std::string kind;   ///< "Ethernet", "InfiniBand", "virtual", "net of NCCL"
  std::string state;  ///< "up", "down"; empty: not said
  std::optional<Bandwidth> speed;
  std::optional<std::int64_t> numa;
};

/// Links of a GPU to another one, or to a switch.
struct GpuLink {
  std::string target;  ///< its PCI address
  std::int64_t count = 1;
};

struct Gpu {
  std::string name;  ///< "NVIDIA A100-SXM4-40GB"; empty: not said
  std::string bus;   ///< PCI address
  std::optional<std::int64_t> numa;
  std::string capability;  ///< "8.0"
  std::vector<GpuLink> links;
};

/// What a batch system gave to the job that this process is part of.
struct Allocation {
  std::string job;
  std::vector<std::string> hosts;
  std::vector<std::int64_t> tasks;  ///< on each host; empty: not said
  std::optional<std::int64_t> gpus_per_node;
};

struct Machine {
  std::string host;
  Processor processor;
  std::optional<Bytes> memory;
  std::vector<NumaNode> numa;
  std::vector<NetworkInterface> interfaces;
  std::vector<Gpu> gpus;
  std::optional<Allocation> allocation;
  std::vector<std::string> unknown;
};

}  // namespace oracle
