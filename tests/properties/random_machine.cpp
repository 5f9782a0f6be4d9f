#include "tests/properties/random_machine.h"

namespace oracle {
namespace {

Device random_device(Random& random) {
  Device device;
  device.id = "device";
  device.device_class = random.chance(0.75) ? DeviceClass::gpu : DeviceClass::cpu;
  const double peak = random.magnitude(1e10, 2e13);
  device.peak[static_cast<std::size_t>(DataType::fp32)] = FlopRate{peak};
  for (const DataType type : {DataType::tf32, DataType::fp16, DataType::bf16}) {
    if (random.chance(0.2)) continue;
    const auto index = static_cast<std::size_t>(type);
    device.peak[index] = FlopRate{peak * random.real(1, 8)};
    device.matrix_unit[index] = random.chance(0.7);
  }
  const auto wide = static_cast<std::size_t>(DataType::bf16);
  for (const DataType type : {DataType::fp8, DataType::mxfp8, DataType::fp4}) {
    const auto index = static_cast<std::size_t>(type);
    device.peak[index] = device.peak[wide] * (type == DataType::fp4 ? 4 : 2);
    device.matrix_unit[index] = device.matrix_unit[wide];
  }
  device.memory = Bytes{random.magnitude(1e7, 1e9)};
  device.reserved = device.memory * random.real(0, 0.1);
  device.memory_bandwidth = Bandwidth{random.magnitude(1e9, 2e12)};
  device.cache = Bytes{4e6};
  device.multiprocessors = static_cast<int>(random.whole(1, 108));
  device.launch_overhead = Seconds{random.real(0, 1e-5)};
  device.fusions = fusions_of_kernels(device.device_class);
  return device;
}

Link random_link(Random& random) {
  Link link;
  link.name = "link";
  link.bandwidth = Bandwidth{random.magnitude(1e8, 3e11)};
  link.flow_limit = link.bandwidth / random.pick<double>({1, 1, 2, 4});
  link.latency = Seconds{random.magnitude(1e-7, 1e-4)};
  return link;
}

}  // namespace

Cluster random_cluster(Random& random) {
  Cluster cluster;
  cluster.id = "random";
  cluster.device = random_device(random);
  cluster.ranks_per_device = random.chance(0.2) ? 2 : 1;
  const std::int64_t levels = random.whole(1, 4);
  for (std::int64_t l = 0; l < levels; ++l) {
    const std::int64_t least = l == 0 && levels < 3 ? 4 : 1;
    cluster.levels.push_back(
        {"level" + std::to_string(l), random.whole(least, 8), random_link(random)});
  }
  return cluster;
}

Profile random_profile(Random& random, const Cluster& cluster) {
  Profile profile;
  if (random.chance(0.2)) profile.overlap = {random.real(0, 0.5), random.real(0, 4)};
  if (profile.overlap.any()) {
    const Bandwidth fast{2e12 * profile.overlap.computing};
    profile.staging = {{Bytes{1e5}, fast, fast / 1.5}, {Bytes{1e7}, fast / 2, fast / 4}};
  }
  if (random.chance(0.3)) {
    profile.contention = {random.whole(2, 8),  Bytes{random.real(0, 1e7)}, random.real(0, 1e-10),
                          random.real(0, 0.2), random.real(0, 0.5),        random.real(0, 1)};
  }
  if (random.chance(0.2)) {
    const auto level = static_cast<std::size_t>(
        random.whole(0, static_cast<std::int64_t>(cluster.levels.size()) - 1));
    const Link& link = cluster.levels[level].uplink;
    profile.links.push_back({cluster.levels[level].name,
                             {{Bytes{}, link.latency * random.real(0.5, 4),
                               link.flow_limit * random.real(0.3, 1), 0.1}}});
  }
  return profile;
}

}  // namespace oracle
