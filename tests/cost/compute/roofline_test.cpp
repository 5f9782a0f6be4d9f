#include "oracle/cost/compute/roofline.h"

#include <gtest/gtest.h>
#include <random>

#include "oracle/base/error.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace roofline_test {

KernelDemand product(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t groups = 1) {
  KernelDemand d;
  d.form = KernelForm::product;
  d.aligned = true;
  d.m = m;
  d.n = n;
  d.k = k;
  d.groups = groups;
  d.flops = Flops{2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) *
                  static_cast<double>(groups)};
  return d;
}

Device cores() {
  Device device = gpu();
  device.device_class = DeviceClass::cpu;
  device.multiprocessors = 20;
  return device;
}

double efficiency(const KernelDemand& d) { return contraction_efficiency(d, cores()); }

TEST(Efficiency, WorkedNumber) {
  EXPECT_NEAR(efficiency(product(1280, 1024, 4096)), 0.75 * 4096 / 4128, 1e-12);
}

TEST(Efficiency, AWaveBarelyBegunLeavesMostIdle) {
  EXPECT_LT(efficiency(product(21 * 64, 64, 255)), 0.85 * efficiency(product(20 * 64, 64, 255)));
}

TEST(Efficiency, ATileBarelyUsedIsWasted) {
  EXPECT_LT(efficiency(product(1 << 20, 17, 4096)), 0.75 * efficiency(product(1 << 20, 64, 4096)));
}

TEST(Efficiency, ShortProductsDoNotFillThePipeline) {
  EXPECT_NEAR(efficiency(product(1280, 1024, 32)), 0.75 / 2, 1e-12);
}

TEST(Efficiency, ALongProductIsSplit) {
  EXPECT_GT(efficiency(product(64, 64, 100352)), 0.5);
  EXPECT_LT(efficiency(product(64, 64, 256)), 0.6);
}

TEST(Efficiency, GroupsFillCoresToo) {
  EXPECT_GT(efficiency(product(32, 32, 128, 20)), 3 * efficiency(product(32, 32, 128)));
}

TEST(Efficiency, StaysAFraction) {
  std::mt19937_64 generator{7};
  const auto extent = [&](int bits) {
    return std::int64_t{1} + static_cast<std::int64_t>(generator() >> (64 - bits));
  };
  for (int i = 0; i < 2000; ++i) {
    const double e = efficiency(product(extent(20), extent(12), extent(18), extent(5)));
    EXPECT_GT(e, 0);
    EXPECT_LE(e, 1);
  }
}

TEST(Efficiency, IsOfProductsOnly) { EXPECT_THROW(efficiency(KernelDemand{}), Defect); }

TEST(RooflineTerms, WorkedNumber) {
  EXPECT_DOUBLE_EQ((RooflineTerms{{}, Seconds{3}, Seconds{4}, 2}.total().value), 5);
  EXPECT_DOUBLE_EQ((RooflineTerms{{}, Seconds{3}, Seconds{4}, 1}.total().value), 7);
  EXPECT_DOUBLE_EQ((RooflineTerms{Seconds{1}, Seconds{3}, Seconds{4}}.total().value), 5);
}

TEST(Roofline, IsAssumed) {
  const Cost cost = roofline(product(10240, 1024, 4096), DataType::fp32, cluster_of_gpus());
  EXPECT_EQ(cost.source, Source::assumed);
  EXPECT_GT(cost.uncertainty, 0.2);
}

/// Launch overhead 5 us: a stream's kernel starts in 2/3 of it, a product's in 4/3.
constexpr double kStream = 10e-6 / 3, kProduct = 20e-6 / 3;

TEST(Roofline, MemoryBound) {
  KernelDemand d;
  d.traffic = Bytes{7.2e8};
  d.flops = Flops{1e8};
  EXPECT_NEAR(roofline_terms(d, DataType::fp32, cluster_of_gpus()).total().value,
              kStream + 7.2e8 / (0.85 * 900e9), 1e-12);
  EXPECT_NEAR(roofline(d, DataType::fp32, cluster_of_gpus()).time.value,
              kStream + 7.2e8 / (0.85 * 900e9), 1e-12)
      << "in a step";
  Cluster processors = cluster_of_gpus();
  processors.device = cores();
  EXPECT_NEAR(roofline(d, DataType::fp32, processors).time.value, 5e-6 + 7.2e8 / (0.8 * 900e9),
              1e-12);
}

TEST(Roofline, SaysWhatCouldBoundAKernel) {
  KernelDemand d;
  d.kernels = 2;
  d.traffic = Bytes{7.2e8};
  d.flops = Flops{15.7e8};
  const RooflineTerms terms = roofline_terms(d, DataType::fp32, cluster_of_gpus());
  EXPECT_NEAR(terms.launch.value, 2 * kStream, 1e-15);
  EXPECT_NEAR(terms.memory.value, 0.9412e-3, 1e-7);
  EXPECT_NEAR(terms.arithmetic.value, 0.4e-3, 1e-12);
}

TEST(Roofline, ElementwiseOperationsRunOnTheVectorUnit) {
  KernelDemand d;
  d.traffic = Bytes{1};
  d.flops = Flops{15.7e9};
  const Cluster cluster = cluster_of_gpus();
  EXPECT_NEAR(roofline(d, DataType::fp32, cluster).time.value, kStream + 4e-3, 1e-12);
  EXPECT_EQ(roofline(d, DataType::fp16, cluster).time, roofline(d, DataType::fp32, cluster).time);
}

TEST(Roofline, NoKernelTakesNoTime) {
  KernelDemand d;
  d.kernels = 0;
  EXPECT_EQ(roofline(d, DataType::fp32, cluster_of_gpus()).time.value, 0);
}

TEST(Roofline, RanksOnOneDeviceShareIt) {
  Cluster cluster = cluster_of_gpus();
  const KernelDemand big = product(1 << 20, 1024, 4096);
  KernelDemand stream;
  stream.traffic = Bytes{1e9};
  const auto busy = [&](const KernelDemand& d, double start) {
    return roofline(d, DataType::fp32, cluster).time.value - start;
  };
  const double alone = busy(big, kProduct), streamed = busy(stream, kStream);
  // A product too small for 80 multiprocessors does not lose all of its share.
  const KernelDemand small = product(20 * 64, 64, 120);
  const double small_alone = busy(small, kProduct);
  cluster.ranks_per_device = 4;
  EXPECT_NEAR(busy(big, kProduct), 4 * alone, 1e-2 * alone);
  EXPECT_NEAR(busy(stream, kStream), 4 * streamed, 1e-12);
  EXPECT_LT(busy(small, kProduct), 2 * small_alone);
}

TEST(Roofline, RefusesAFormatTheDeviceLacks) {
  EXPECT_THROW(roofline(product(64, 64, 64), DataType::bf16, cluster_of_gpus()), Defect);
}

}  // namespace roofline_test
}  // namespace oracle
