#include "oracle/cluster/host.h"

namespace oracle {
namespace {

struct Usual {
  Bandwidth link, memory_bandwidth;
  Bytes memory;  ///< of each device
  UsualHostTexts texts;
};

Usual usual_next_to(Generation generation) {
  switch (generation) {
    case Generation::hopper:
    case Generation::blackwell:
      return {Bandwidth{50e9},
              Bandwidth{614e9},
              Bytes{0x1p38},
              {"PCI Express 5 x16", "two sockets of DDR5-4800", "256 GiB for each device"}};
    case Generation::ampere:
    case Generation::ada:
      return {Bandwidth{24e9},
              Bandwidth{410e9},
              Bytes{0x1p37},
              {"PCI Express 4 x16", "two sockets of DDR4-3200", "128 GiB for each device"}};
    default:
      return {Bandwidth{12e9},
              Bandwidth{256e9},
              Bytes{0x1p36},
              {"PCI Express 3 x16", "two sockets of DDR4-2666", "64 GiB for each device"}};
  }
}

}  // namespace

Host usual_host(const Device& device, std::int64_t devices) {
  const Usual usual = usual_next_to(device.generation);
  Host host;
  host.link = device.host_link.value > 0 ? device.host_link : usual.link;
  host.memory_bandwidth = usual.memory_bandwidth;
  host.memory = usual.memory * static_cast<double>(devices);
  host.devices = devices;
  return host;
}

UsualHostTexts usual_host_texts(Generation generation) { return usual_next_to(generation).texts; }

}  // namespace oracle
