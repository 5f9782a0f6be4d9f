#include "oracle/cost/compute/roofline.h"

#include <gtest/gtest.h>
#include <random>

#include "oracle/base/error.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace roofline_test {

KernelDemand product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t groups = 1) {
  KernelDemand d;
  d.contraction = true;
  d.aligned = true;
  d.m = m;
  d.n = n;
  d.k = k;
  d.groups = groups;
  d.flops = Flops{2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
                  static_cast<double>(groups)};
  return d;
}

double efficiency(const KernelDemand& d, DataType type = DataType::fp32) {
  return contraction_efficiency(d, type, gpu());
}

TEST(Efficiency, WorkedNumber) {
  EXPECT_NEAR(efficiency(product(10240, 1024, 4096)), 0.85 * 4096 / 4160, 1e-12);
}

TEST(Efficiency, AWaveBarelyBegunLeavesMostIdle) {
  // 81 tiles of 256x128 take two waves of 80; smaller tiles waste less, but some.
  EXPECT_LT(efficiency(product(81 * 256, 128, 255)),
            0.85 * efficiency(product(80 * 256, 128, 255)));
}

TEST(Efficiency, ATileBarelyUsedIsWasted) {
  EXPECT_LT(efficiency(product(1 << 20, 33, 4096)), 0.75 * efficiency(product(1 << 20, 64, 4096)));
}

TEST(Efficiency, ShortProductsDoNotFillThePipeline) {
  EXPECT_NEAR(efficiency(product(10240, 1024, 64)), 0.85 / 2, 1e-12);
}

TEST(Efficiency, ALongProductIsSplit) {
  // Weight gradients: five tiles of 128x64 alone would use 5 of 80 multiprocessors.
  EXPECT_GT(efficiency(product(576, 64, 100352)), 0.5);
  EXPECT_LT(efficiency(product(576, 64, 256)), 0.1);
}

TEST(Efficiency, GroupsFillMultiprocessorsToo) {
  EXPECT_GT(efficiency(product(128, 128, 256, 80)), 10 * efficiency(product(128, 128, 256)));
}

TEST(Efficiency, MatrixUnitsWantAlignedFeatures) {
  KernelDemand d = product(10240, 1024, 4096);
  const double aligned = efficiency(d, DataType::fp16);
  d.aligned = false;
  EXPECT_DOUBLE_EQ(efficiency(d, DataType::fp16), aligned / 2);
  EXPECT_DOUBLE_EQ(efficiency(d), efficiency(product(10240, 1024, 4096)));
}

TEST(Efficiency, StaysAFraction) {
  std::mt19937_64 generator{7};
  const auto extent = [&](int bits) {
    return std::int64_t{1} + static_cast<std::int64_t>(generator() >> (64 - bits));
  };
  Device cpu = gpu();
  cpu.device_class = DeviceClass::cpu;
  cpu.multiprocessors = 20;
  for (int i = 0; i < 2000; ++i) {
    const KernelDemand d = product(extent(20), extent(12), extent(18), extent(5));
    for (const double e : {contraction_efficiency(d, DataType::fp32, gpu()),
                           contraction_efficiency(d, DataType::fp16, gpu()),
                           contraction_efficiency(d, DataType::fp32, cpu)}) {
      EXPECT_GT(e, 0);
      EXPECT_LE(e, 1);
    }
  }
}

TEST(Efficiency, CpusWasteLessOnSmallProducts) {
  Device cpu = gpu();
  cpu.device_class = DeviceClass::cpu;
  cpu.multiprocessors = 20;
  EXPECT_GT(contraction_efficiency(product(784, 16, 144), DataType::fp32, cpu),
            3 * contraction_efficiency(product(784, 16, 144), DataType::fp32, gpu()));
}

TEST(Efficiency, IsOfProductsOnly) { EXPECT_THROW(efficiency(KernelDemand{}), Defect); }

TEST(Roofline, ComputeBound) {
  const Cost cost = roofline(product(10240, 1024, 4096), DataType::fp32, cluster_of_gpus());
  EXPECT_NEAR(cost.time.value, 5e-6 + 2.0 * 10240 * 1024 * 4160 / (0.85 * 15.7e12), 1e-9);
  EXPECT_EQ(cost.source, Source::assumed);
  EXPECT_GT(cost.uncertainty, 0.2);
}

TEST(Roofline, MemoryBound) {
  KernelDemand d;
  d.traffic = Bytes{7.2e8};
  d.flops = Flops{1e8};
  EXPECT_NEAR(roofline(d, DataType::fp32, cluster_of_gpus()).time.value, 5e-6 + 1e-3, 1e-12);
}

TEST(Roofline, SaysWhatCouldBoundAKernel) {
  KernelDemand d;
  d.kernels = 2;
  d.traffic = Bytes{7.2e8};
  d.flops = Flops{15.7e8};
  const RooflineTerms terms = roofline_terms(d, DataType::fp32, cluster_of_gpus());
  EXPECT_NEAR(terms.launch.value, 10e-6, 1e-15);
  EXPECT_NEAR(terms.memory.value, 1e-3, 1e-12);
  EXPECT_NEAR(terms.arithmetic.value, 0.4e-3, 1e-12);
}

TEST(Roofline, ElementwiseOperationsRunOnTheVectorUnit) {
  KernelDemand d;
  d.traffic = Bytes{1};
  d.flops = Flops{15.7e9};
  const Cluster cluster = cluster_of_gpus();
  EXPECT_NEAR(roofline(d, DataType::fp32, cluster).time.value, 5e-6 + 4e-3, 1e-12);
  EXPECT_EQ(roofline(d, DataType::fp16, cluster), roofline(d, DataType::fp32, cluster));
}

TEST(Roofline, NoKernelTakesNoTime) {
  KernelDemand d;
  d.kernels = 0;
  EXPECT_EQ(roofline(d, DataType::fp32, cluster_of_gpus()).time.value, 0);
}

TEST(Roofline, WinogradSavesFp32ProductsOnGpus) {
  KernelDemand d = product(1 << 20, 256, 2304);
  const auto busy = [&](DataType type) {
    return roofline(d, type, cluster_of_gpus()).time.value - 5e-6;
  };
  const double direct = busy(DataType::fp32), matrix = busy(DataType::fp16);
  d.minimal_filtering = true;
  EXPECT_NEAR(direct / busy(DataType::fp32), 1.5, 1e-9);
  EXPECT_EQ(busy(DataType::fp16), matrix);
}

TEST(Roofline, RanksOnOneDeviceShareIt) {
  Cluster cluster = cluster_of_gpus();
  const KernelDemand big = product(1 << 20, 1024, 4096);
  KernelDemand stream;
  stream.traffic = Bytes{1e9};
  const double alone = roofline(big, DataType::fp32, cluster).time.value - 5e-6;
  const double streamed = roofline(stream, DataType::fp32, cluster).time.value - 5e-6;
  // A product too small for 80 multiprocessors does not lose all of its share.
  const KernelDemand small = product(20 * 64, 64, 255);
  const double small_alone = roofline(small, DataType::fp32, cluster).time.value - 5e-6;
  cluster.ranks_per_device = 4;
  EXPECT_NEAR(roofline(big, DataType::fp32, cluster).time.value - 5e-6, 4 * alone, 1e-2 * alone);
  EXPECT_NEAR(roofline(stream, DataType::fp32, cluster).time.value - 5e-6, 4 * streamed, 1e-12);
  EXPECT_LT(roofline(small, DataType::fp32, cluster).time.value - 5e-6, 2 * small_alone);
}

TEST(Roofline, RefusesAFormatTheDeviceLacks) {
  EXPECT_THROW(roofline(product(64, 64, 64), DataType::bf16, cluster_of_gpus()), Defect);
}

}  // namespace roofline_test
}  // namespace oracle
