#include "oracle/io/machine/machine_reader.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/base/fake_root.h"

namespace oracle {
namespace machine_reader_test {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

const char* no_variables(const char*) { return nullptr; }

/// Two sockets of two cores of two threads, as Linux shows them.
void write_processors(const FakeRoot& root) {
  root.write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Some CPU @ 2.50GHz\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    root.write(folder + "physical_package_id", std::to_string(cpu / 2 % 2) + "\n");
    root.write(folder + "core_id", std::to_string(cpu % 2) + "\n");
  }
  root.write("sys/devices/system/cpu/cpufreq/boost", "1\n");
}

void write_memory(const FakeRoot& root) {
  root.write("proc/meminfo", "MemTotal:       16384000 kB\n");
  root.write("sys/devices/system/node/node0/cpulist", "0-3\n");
  root.write("sys/devices/system/node/node0/meminfo", "Node 0 MemTotal:       8192000 kB\n");
  root.write("sys/devices/system/node/node1/cpulist", "4-6,7\n");
  root.write("sys/devices/system/node/node1/meminfo", "Node 1 MemFree: 5 kB\n");
}

void write_interfaces(const FakeRoot& root) {
  root.write("sys/class/net/lo/operstate", "unknown\n");
  root.write("sys/class/net/ens1/speed", "100000\n");
  root.write("sys/class/net/ens1/operstate", "up\n");
  root.write("sys/class/net/ens1/device/numa_node", "1\n");
  root.write("sys/class/net/ens2/speed", "-1\n");
  root.write("sys/class/net/ens2/operstate", "down\n");
  root.write("sys/class/net/ens2/device/numa_node", "-1\n");
  root.write("sys/class/net/docker0/operstate", "up\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/rate", "200 Gb/sec (4X HDR)\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  root.write("sys/class/infiniband/mlx5_0/ports/1/link_layer", "InfiniBand\n");
}

const NetworkInterface& named(const Machine& machine, const std::string& name) {
  return *std::find_if(machine.interfaces.begin(), machine.interfaces.end(),
                       [&](const NetworkInterface& one) { return one.name == name; });
}

TEST(MachineReader, ProcessorsAndMemory) {
  const FakeRoot root;
  write_processors(root);
  write_memory(root);
  root.write("proc/sys/kernel/hostname", "node7\n");
  const Machine machine = read_machine(root.path(), 3, no_variables);
  EXPECT_EQ(machine.host, "node7");
  EXPECT_EQ(machine.processor.name, "Some CPU @ 2.50GHz");
  EXPECT_EQ(machine.processor.sockets, 2);
  EXPECT_EQ(machine.processor.cores, 4);
  EXPECT_EQ(machine.processor.threads, 8);
  EXPECT_EQ(machine.processor.usable, 3);
  EXPECT_EQ(machine.memory, Bytes{16384000.0 * 1024});
  ASSERT_EQ(machine.numa.size(), 2U);
  EXPECT_EQ(machine.numa[0].memory, Bytes{8192000.0 * 1024});
  EXPECT_EQ(machine.numa[1].threads, 4);
  EXPECT_FALSE(machine.numa[1].memory.has_value());
}

TEST(MachineReader, WorkedNumber) {
  const FakeRoot root;
  write_interfaces(root);
  const Machine machine = read_machine(root.path(), 1, no_variables);
  EXPECT_EQ(machine.interfaces.size(), 4U);
  EXPECT_EQ(named(machine, "ens1").speed, Bandwidth{12.5e9});
  EXPECT_EQ(named(machine, "ens1").numa, 1);
  EXPECT_EQ(named(machine, "mlx5_0:1").speed, Bandwidth{25e9});
  EXPECT_EQ(named(machine, "mlx5_0:1").kind, "InfiniBand");
  EXPECT_EQ(named(machine, "mlx5_0:1").state, "up");
  EXPECT_EQ(named(machine, "docker0").kind, "virtual");
}

TEST(MachineReader, ASpeedThatIsNotReportedIsUnknown) {
  const FakeRoot root;
  write_interfaces(root);
  const Machine machine = read_machine(root.path(), 1, no_variables);
  EXPECT_FALSE(named(machine, "ens2").speed.has_value());
  EXPECT_FALSE(named(machine, "ens2").numa.has_value());
  EXPECT_THAT(machine.unknown, Contains(HasSubstr("speed of ens2")));
  EXPECT_THAT(machine.unknown, Not(Contains(HasSubstr("speed of docker0"))));
}

TEST(MachineReader, GpusOfTheDriver) {
  const FakeRoot root;
  root.write("proc/driver/nvidia/gpus/0000:07:00.0/information",
             "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 203\nBus Location: \t 0000:07:00.0\n");
  root.write("sys/bus/pci/devices/0000:07:00.0/numa_node", "3\n");
  const Machine machine = read_machine(root.path(), 1, no_variables);
  ASSERT_EQ(machine.gpus.size(), 1U);
  EXPECT_EQ(machine.gpus[0].name, "NVIDIA A100-SXM4-40GB");
  EXPECT_EQ(machine.gpus[0].bus, "0000:07:00.0");
  EXPECT_EQ(machine.gpus[0].numa, 3);
  EXPECT_THAT(machine.unknown, Contains(HasSubstr("links between GPUs")));
}

TEST(MachineReader, AnEmptyMachineIsAllUnknown) {
  const FakeRoot root;
  const Machine machine = read_machine(root.path(), 2, no_variables);
  EXPECT_EQ(machine.processor.usable, 2);
  EXPECT_FALSE(machine.memory.has_value());
  EXPECT_FALSE(machine.processor.cores.has_value());
  for (const char* what : {"the processor's name", "sockets", "memory", "NUMA", "GPUs"}) {
    EXPECT_THAT(machine.unknown, Contains(HasSubstr(what)));
  }
}

TEST(MachineReader, ThisMachine) {
  const Machine machine = read_this_machine();
  EXPECT_FALSE(machine.host.empty());
  EXPECT_GE(machine.processor.usable, 1);
  ASSERT_TRUE(machine.memory.has_value());
  EXPECT_GT(*machine.memory, Bytes{1e8});
}

}  // namespace machine_reader_test
}  // namespace oracle
