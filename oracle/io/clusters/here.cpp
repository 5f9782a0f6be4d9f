#include "oracle/io/clusters/here.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "oracle/base/error.h"
#include "oracle/base/last_cache.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/machine/proc_text.h"

namespace oracle {
namespace {

constexpr double kAssumedMegahertz = 2000;
constexpr Bytes kAssumedMemory{0x1p30};
constexpr Bytes kAssumedCache{0x1p20};

/// What the system reports, or 0 where no machine is like that.
double believed(double reported, double least, double most) {
  return reported >= least && reported <= most ? reported : 0;
}

bool has_flag(std::string_view flags, std::string_view flag) {
  const std::string spaced = " " + std::string(flags) + " ";
  return spaced.find(" " + std::string(flag) + " ") != std::string::npos;
}

struct Vectors {
  double operations_per_cycle;
  std::string_view name;
};

/// AMD's cores before family 26 (Zen 5) take two cycles for a vector of 512 bits.
bool halves_wide_vectors(std::string_view cpuinfo) {
  return proc_field(cpuinfo, "vendor_id") == "AuthenticAMD" &&
         proc_number(proc_field(cpuinfo, "cpu family")) < 26;
}

Vectors vectors_of(std::string_view cpuinfo) {
  const std::string_view flags = proc_field(cpuinfo, "flags");
  if (has_flag(flags, "avx512f") && !halves_wide_vectors(cpuinfo)) return {64, "AVX-512"};
  if (has_flag(flags, "avx2") && has_flag(flags, "fma")) return {32, "AVX2 with FMA"};
  if (has_flag(flags, "avx")) return {16, "AVX"};
  return {8, "SSE"};
}

class Description {
 public:
  Description(std::string_view cpuinfo, std::string_view meminfo, std::int64_t processors,
              Bytes last_caches)
      : cpuinfo_(cpuinfo),
        meminfo_(meminfo),
        processors_(static_cast<double>(processors)),
        last_caches_(last_caches) {
    cluster_.id = "here";
    cluster_.name = "this machine";
    cluster_.description = "The machine this program runs on; every processor is a rank";
    cluster_.ranks_per_device = processors;
    cluster_.device.id = "here";
    cluster_.device.device_class = DeviceClass::cpu;
    cluster_.device.multiprocessors = static_cast<int>(processors);
    measured(cluster_.device.sources, "multiprocessors", "processors this process may use");
  }

  Cluster take() {
    describe_compute();
    describe_memory();
    describe_cache();
    describe_link();
    return std::move(cluster_);
  }

 private:
  void describe_compute() {
    Device& device = cluster_.device;
    const std::string_view name = proc_field(cpuinfo_, "model name");
    device.name = name.empty() ? "unknown processor" : std::string(name);
    const double reported = believed(proc_number(proc_field(cpuinfo_, "cpu MHz")), 1, 1e5);
    const double megahertz = reported > 0 ? reported : kAssumedMegahertz;
    const Vectors vectors = vectors_of(cpuinfo_);
    device.peak[static_cast<std::size_t>(DataType::fp32)] =
        FlopRate{processors_ * megahertz * 1e6 * vectors.operations_per_cycle};
    assumed(device.sources, "peak/fp32",
            "two " + std::string(vectors.name) + " units a processor, each busy every cycle at " +
                (reported > 0 ? "the clock in /proc/cpuinfo" : "2 GHz, for no clock is reported"));
    device.launch_overhead = Seconds{2e-6};
    assumed(device.sources, "launch_overhead", "2 us to start a kernel on all threads");
  }

  void describe_memory() {
    Device& device = cluster_.device;
    device.memory = Bytes{believed(proc_number(proc_field(meminfo_, "MemTotal")), 1, 1e15) * 1024};
    if (device.memory.value > 0) {
      measured(device.sources, "memory", "MemTotal in /proc/meminfo");
    } else {
      device.memory = kAssumedMemory;
      assumed(device.sources, "memory", "1 GiB, for none is reported");
    }
    device.memory_bandwidth = Bandwidth{std::min(10e9 * processors_, 200e9)};
    assumed(device.sources, "memory_bandwidth", "10 GB/s a processor, at most 200 GB/s");
    device.reserved = device.memory / 16;
    assumed(device.sources, "reserved", "a sixteenth of the memory for the system");
    const bool wide = has_flag(proc_field(cpuinfo_, "flags"), "avx512f");
    device.channel_block = wide ? 16 : 8;
    assumed(device.sources, "channel_block", "oneDNN's blocks for vectors of this width");
    device.fusions = fusions_of_kernels(device.device_class);
    measured(device.sources, "fusions", "what the kernels that train here compute in one pass");
  }

  void describe_cache() {
    Device& device = cluster_.device;
    const Bytes stated{believed(proc_number(proc_field(cpuinfo_, "cache size")), 1, 1e12) * 1024};
    if (last_caches_.value > 0) {
      device.cache = last_caches_;
      measured(device.sources, "cache", "last caches in /sys/devices/system/cpu");
    } else if (stated.value > 0) {
      device.cache = stated;
      measured(device.sources, "cache", "cache size in /proc/cpuinfo");
    } else {
      device.cache = kAssumedCache;
      assumed(device.sources, "cache", "1 MiB, for none is reported");
    }
  }

  void describe_link() {
    Level level;
    level.name = "machine";
    level.uplink.name = "shared memory";
    level.uplink.bandwidth = cluster_.device.memory_bandwidth / 2;
    level.uplink.flow_limit = std::min(level.uplink.bandwidth, Bandwidth{5e9});
    level.uplink.latency = Seconds{1e-6};
    cluster_.levels.push_back(level);
    measured(cluster_.sources, "machine/units", "this one machine");
    assumed(cluster_.sources, "machine/bandwidth", "a copy reads and writes: half the memory's");
    assumed(cluster_.sources, "machine/rails", "one copying thread moves 5 GB/s");
    assumed(cluster_.sources, "machine/latency", "1 us a message through shared memory");
  }

  void measured(std::vector<FigureSource>& sources, std::string figure, std::string text) {
    sources.push_back({std::move(figure), Source::measured, std::move(text)});
  }

  void assumed(std::vector<FigureSource>& sources, std::string figure, std::string text) {
    cluster_.assumptions.push_back(figure + ": " + text);
    sources.push_back({std::move(figure), Source::assumed, std::move(text)});
  }

  std::string_view cpuinfo_;
  std::string_view meminfo_;
  double processors_;
  Bytes last_caches_;
  Cluster cluster_;
};

std::string text_of(const char* file) {
  std::ifstream stream(file);
  if (!stream)
    throw EnvironmentError(std::string(file) + ": cannot be read; name a cluster instead");
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

Cluster describe_host(std::string_view cpuinfo, std::string_view meminfo, std::int64_t processors,
                      Bytes last_caches) {
  ensure(processors >= 1, "a machine has no processor");
  return Description(cpuinfo, meminfo, processors, last_caches).take();
}

Cluster detect_here() {
  return describe_host(text_of("/proc/cpuinfo"), text_of("/proc/meminfo"), usable_processors(),
                       last_caches_here());
}

}  // namespace oracle
