#include "oracle/io/machine/machine_reader.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "oracle/base/in_quotes.h"
#include "oracle/base/system_files.h"
#include "oracle/io/machine/proc_text.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

/// The threads that each have a package and a core of it.
struct Places {
  std::set<std::int64_t> sockets;
  std::set<std::pair<std::int64_t, std::int64_t>> cores;
  std::int64_t threads = 0;
};

Places places_of(const fs::path& root) {
  Places places;
  for (const fs::path& cpu : numbered_folders(root / "sys/devices/system/cpu", "cpu")) {
    const auto socket = whole_number_in(cpu / "topology/physical_package_id");
    const auto core = whole_number_in(cpu / "topology/core_id");
    if (!socket || !core) continue;
    ++places.threads;
    places.sockets.insert(*socket);
    places.cores.insert({*socket, *core});
  }
  return places;
}

Processor processor_of(const fs::path& root, const std::string& cpuinfo,
                       std::vector<std::string>& unknown) {
  Processor processor;
  processor.name = on_one_line(proc_field(cpuinfo, "model name"));
  if (processor.name.empty()) {
    unknown.emplace_back("the processor's name: /proc/cpuinfo has no \"model name\"");
  }
  const Places places = places_of(root);
  if (places.threads > 0) {
    processor.sockets = static_cast<std::int64_t>(places.sockets.size());
    processor.cores = static_cast<std::int64_t>(places.cores.size());
    processor.threads = places.threads;
  } else {
    unknown.emplace_back("sockets and cores: no topology in /sys/devices/system/cpu");
  }
  return processor;
}

/// "0-3,8" counts 5; 0 for what is no such list.
std::int64_t count_in_list(std::string_view list) {
  std::int64_t count = 0;
  while (!list.empty()) {
    const std::string_view range = list.substr(0, list.find(','));
    const std::size_t dash = range.find('-');
    const auto first = whole_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : whole_number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 1'000'000) return 0;
    count += *last - *first + 1;
    list.remove_prefix(std::min(list.size(), range.size() + 1));
  }
  return count;
}

std::vector<NumaNode> numa_of(const fs::path& root, std::vector<std::string>& unknown) {
  std::vector<NumaNode> nodes;
  for (const fs::path& folder : numbered_folders(root / "sys/devices/system/node", "node")) {
    NumaNode node;
    node.id = *whole_number(folder.filename().string().substr(4));
    node.threads = count_in_list(first_line_of(folder / "cpulist"));
    const std::string meminfo = text_or_nothing(folder / "meminfo");
    const std::string key = "Node " + std::to_string(node.id) + " MemTotal";
    const double kilobytes = proc_number(proc_field(meminfo, key));
    if (kilobytes > 0) node.memory = Bytes{kilobytes * 1024};
    nodes.push_back(node);
  }
  if (nodes.empty()) unknown.emplace_back("NUMA nodes: none in /sys/devices/system/node");
  return nodes;
}

std::optional<std::int64_t> numa_node_of(const fs::path& device) {
  const auto node = whole_number_in(device / "numa_node");
  return node && *node >= 0 ? node : std::nullopt;
}

std::vector<NetworkInterface> ethernet_of(const fs::path& root) {
  std::vector<NetworkInterface> interfaces;
  for (const fs::path& folder : entries_of(root / "sys/class/net")) {
    NetworkInterface one;
    one.name = on_one_line(folder.filename().string());
    if (one.name == "lo") continue;
    one.kind = fs::exists(folder / "device") ? "Ethernet" : "virtual";
    one.state = on_one_line(first_line_of(folder / "operstate"));
    const auto megabits = whole_number_in(folder / "speed");
    if (megabits && *megabits > 0) {
      one.speed = Bandwidth{static_cast<double>(*megabits) * 1e6 / 8};
    }
    one.numa = numa_node_of(folder / "device");
    interfaces.push_back(std::move(one));
  }
  return interfaces;
}

/// "100 Gb/sec (4X EDR)"
std::optional<Bandwidth> infiniband_rate(const std::string& text) {
  const double gigabits = proc_number(text);
  if (gigabits <= 0 || text.find("Gb/sec") == std::string::npos) return std::nullopt;
  return Bandwidth{gigabits * 1e9 / 8};
}

std::vector<NetworkInterface> infiniband_of(const fs::path& root) {
  std::vector<NetworkInterface> interfaces;
  for (const fs::path& adapter : entries_of(root / "sys/class/infiniband")) {
    for (const fs::path& port : entries_of(adapter / "ports")) {
      const std::string state = first_line_of(port / "state");  // "4: ACTIVE"
      NetworkInterface one;
      one.name = on_one_line(adapter.filename().string() + ":" + port.filename().string());
      one.kind = on_one_line(first_line_of(port / "link_layer"));
      if (one.kind.empty()) one.kind = "InfiniBand";
      one.state = state.find("ACTIVE") != std::string::npos ? "up" : "down";
      one.speed = infiniband_rate(first_line_of(port / "rate"));
      one.numa = numa_node_of(adapter / "device");
      interfaces.push_back(std::move(one));
    }
  }
  return interfaces;
}

std::vector<Gpu> gpus_of(const fs::path& root, std::vector<std::string>& unknown) {
  std::vector<Gpu> gpus;
  for (const fs::path& folder : entries_of(root / "proc/driver/nvidia/gpus")) {
    const std::string information = text_or_nothing(folder / "information");
    Gpu gpu;
    gpu.name = on_one_line(proc_field(information, "Model"));
    gpu.bus = on_one_line(proc_field(information, "Bus Location"));
    if (gpu.bus.empty()) gpu.bus = on_one_line(folder.filename().string());
    gpu.numa = numa_node_of(root / "sys/bus/pci/devices" / gpu.bus);
    gpus.push_back(std::move(gpu));
  }
  if (gpus.empty()) {
    unknown.emplace_back(
        "GPUs: no NVIDIA driver in /proc/driver/nvidia; --topology FILE reads what NCCL wrote of "
        "a machine");
  } else {
    unknown.emplace_back(
        "links between GPUs: --topology FILE reads them from what NCCL writes with "
        "NCCL_TOPO_DUMP_FILE");
  }
  return gpus;
}

}  // namespace

Machine read_machine(const fs::path& root, std::int64_t usable, const Environment& environment) {
  Machine machine;
  machine.host = on_one_line(first_line_of(root / "proc/sys/kernel/hostname"));
  machine.processor = processor_of(root, text_or_nothing(root / "proc/cpuinfo"), machine.unknown);
  machine.processor.usable = usable;
  const std::string meminfo = text_or_nothing(root / "proc/meminfo");
  const double kilobytes = proc_number(proc_field(meminfo, "MemTotal"));
  if (kilobytes > 0) {
    machine.memory = Bytes{kilobytes * 1024};
  } else {
    machine.unknown.emplace_back("memory: /proc/meminfo has no \"MemTotal\"");
  }
  machine.numa = numa_of(root, machine.unknown);
  machine.interfaces = ethernet_of(root);
  for (NetworkInterface& one : infiniband_of(root)) machine.interfaces.push_back(std::move(one));
  for (const NetworkInterface& one : machine.interfaces) {
    if (one.speed || one.kind == "virtual") continue;
    machine.unknown.push_back("speed of " + one.name +
                              ": the system reports none, as of a virtual or unplugged interface");
  }
  machine.gpus = gpus_of(root, machine.unknown);
  machine.allocation = read_allocation(environment);
  return machine;
}

Machine read_this_machine() {
  return read_machine("/", usable_processors(), [](const char* name) { return std::getenv(name); });
}

}  // namespace oracle
