#include "oracle/io/clusters/here.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace here_test {

constexpr const char* kCpuinfo =
    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
    "model name\t: Some CPU @ 2.50GHz\ncpu MHz\t\t: 2500.000\ncache size\t: 30720 KB\n"
    "flags\t\t: fpu sse2 avx avx2 fma\n\nprocessor\t: 1\ncpu MHz\t\t: 1200.000\n";
constexpr const char* kMeminfo = "MemTotal:       16384000 kB\nMemFree:         1000 kB\n";

double peak_with(const std::string& vendor_and_flags) {
  return describe_host("cpu MHz : 1000\n" + vendor_and_flags, "", 1)
      .device.peak_of(DataType::fp32)
      .value;
}

TEST(Here, CountsOperationsOfTheWidestVectors) {
  const Cluster here = describe_host(kCpuinfo, kMeminfo, 2);
  EXPECT_DOUBLE_EQ(here.device.peak_of(DataType::fp32).value, 2 * 2.5e9 * 32);
  EXPECT_EQ(here.device.name, "Some CPU @ 2.50GHz");
  EXPECT_EQ(here.device.memory, Bytes{16384000.0 * 1024});
  EXPECT_EQ(here.device.cache, Bytes{30720.0 * 1024});
  EXPECT_EQ(here.ranks(), 2);
  EXPECT_EQ(here.device.multiprocessors, 2);
  EXPECT_EQ(here.device.channel_block, 8);
  EXPECT_TRUE(here.device.fuses());
  EXPECT_EQ(describe_host("flags : avx512f avx2 fma avx\n", "", 1).device.channel_block, 16);
  EXPECT_EQ(here.device.device_class, DeviceClass::cpu);
}

TEST(Here, LastCachesCountBeforeACoresOwn) {
  const Cluster here = describe_host(kCpuinfo, kMeminfo, 2, Bytes{0x1p25});
  EXPECT_EQ(here.device.cache, Bytes{0x1p25});
  EXPECT_FALSE(std::any_of(here.assumptions.begin(), here.assumptions.end(),
                           [](const std::string& line) { return line.starts_with("cache"); }));
}

TEST(Here, KnowsTheUnitsOfItsCores) {
  EXPECT_DOUBLE_EQ(peak_with("flags : avx512f avx2 fma avx\n"), 64e9);
  EXPECT_DOUBLE_EQ(
      peak_with("vendor_id : AuthenticAMD\ncpu family : 25\nflags : avx512f avx2 fma\n"), 32e9);
  EXPECT_DOUBLE_EQ(
      peak_with("vendor_id : AuthenticAMD\ncpu family : 26\nflags : avx512f avx2 fma\n"), 64e9);
  EXPECT_DOUBLE_EQ(peak_with("flags : avx2 avx fma4\n"), 16e9);
  EXPECT_DOUBLE_EQ(peak_with("flags : sse2 notavx\n"), 8e9);
}

TEST(Here, SaysWhatItAssumes) {
  const Cluster bare = describe_host("", "", 4);
  EXPECT_GT(bare.device.memory.value, 0);
  EXPECT_GT(bare.device.peak_of(DataType::fp32).value, 0);
  const auto assumes = [&bare](std::string_view figure) {
    return std::any_of(bare.assumptions.begin(), bare.assumptions.end(),
                       [figure](const std::string& line) { return line.starts_with(figure); });
  };
  for (const char* figure : {"peak/fp32: ", "memory: ", "cache: ", "memory_bandwidth: ",
                             "machine/bandwidth: ", "machine/latency: "}) {
    EXPECT_TRUE(assumes(figure)) << figure;
  }
  EXPECT_FALSE(assumes("multiprocessors"));
}

TEST(Here, FiguresOfNoMachineAreNotBelieved) {
  const Cluster here =
      describe_host("cpu MHz : 1e-320\ncache size : 1e300 KB\n", "MemTotal: 1e308 kB\n", 1);
  EXPECT_DOUBLE_EQ(here.device.peak_of(DataType::fp32).value, 2e9 * 8);
  EXPECT_EQ(here.device.memory, Bytes{0x1p30});
  EXPECT_EQ(here.device.cache, Bytes{0x1p20});
}

TEST(Here, DetectsThisMachine) {
  const Cluster here = load_cluster("here");
  EXPECT_EQ(here.id, "here");
  EXPECT_GE(here.ranks(), 1);
  EXPECT_GT(here.device.memory, Bytes{1e8});
  EXPECT_LT(here.device.reserved, here.device.memory);
}

}  // namespace here_test
}  // namespace oracle
