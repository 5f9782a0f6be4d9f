// Prices of a GPU's products and convolutions, against a prototype of the model that was written
// and fitted apart from this code. In brackets what was measured (DeepBench, LLM operators on
// A100).

#include <gtest/gtest.h>
#include <ostream>
#include <random>

#include "oracle/cost/compute/gpu_library.h"
#include "oracle/cost/compute/roofline.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "tests/cost/samples.h"

namespace oracle {
namespace gpu_kernels_test {

Device titan_x_maxwell() {
  Device device;
  device.peak[0] = FlopRate{6.6e12};
  device.memory_bandwidth = Bandwidth{336.5e9};
  device.multiprocessors = 24;
  device.launch_overhead = Seconds{4.5e-6};
  device.generation = Generation::maxwell;
  return device;
}

Cluster one(const std::string& device) {
  Cluster cluster = cluster_of_gpus();
  cluster.device = device == "titan-x-maxwell" ? titan_x_maxwell() : load_device(device);
  cluster.device.launch_overhead = Seconds{4.5e-6};
  // The prototype has all but its T4 at the full clock.
  if (device != "t4") cluster.device.sustained.fill(1);
  return cluster;
}

double bytes_of(DataType type) { return type == DataType::fp32 ? 4 : 2; }

struct ProductCase {
  const char* device;
  DataType type;
  std::int64_t m, n, k;
  double microseconds;

  friend std::ostream& operator<<(std::ostream& out, const ProductCase& c) {
    return out << c.m << "x" << c.n << "x" << c.k << " on " << c.device;
  }
};

KernelDemand product(std::int64_t m, std::int64_t n, std::int64_t k, DataType type) {
  KernelDemand d;
  d.form = KernelForm::product;
  d.aligned = true;
  d.m = m;
  d.n = n;
  d.k = k;
  const auto x = static_cast<double>(m), y = static_cast<double>(n), z = static_cast<double>(k);
  d.flops = Flops{2 * x * y * z};
  d.traffic = Bytes{(x * z + z * y + x * y) * bytes_of(type)};
  return d;
}

class GpuProducts : public testing::TestWithParam<ProductCase> {};

TEST_P(GpuProducts, TakeWhatThePrototypeSays) {
  const ProductCase& c = GetParam();
  const Cluster cluster = one(c.device);
  const double time =
      roofline_terms(product(c.m, c.n, c.k, c.type), c.type, cluster).total().value * 1e6;
  EXPECT_NEAR(time / c.microseconds, 1, 6e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Prototype, GpuProducts,
    testing::Values(
        ProductCase{"v100-sxm2-16gb", DataType::fp32, 4096, 7000, 4096, 16998},  // (15900)
        ProductCase{"v100-sxm2-16gb", DataType::fp32, 1760, 128, 1760, 82.9},    // (88)
        ProductCase{"v100-sxm2-16gb", DataType::fp32, 2560, 32, 2560, 55.8},     // (54)
        ProductCase{"v100-sxm2-16gb", DataType::fp32, 512, 24000, 2048, 3878},   // (3857)
        ProductCase{"v100-sxm2-16gb", DataType::fp16, 4096, 7000, 4096, 2213},   // (2092)
        ProductCase{"v100-sxm2-16gb", DataType::fp16, 1760, 128, 1760, 23.4},    // (31)
        ProductCase{"v100-sxm2-16gb", DataType::fp16, 512, 24000, 2048, 520},    // (500)
        ProductCase{"a100-sxm4-40gb", DataType::fp16, 4096, 4096, 4096, 528},
        ProductCase{"a100-sxm4-40gb", DataType::bf16, 1024, 10240, 5120, 401},  // (396)
        ProductCase{"a100-sxm4-40gb", DataType::fp16, 8192, 512, 1024, 45.2},
        ProductCase{"h100-sxm5-80gb", DataType::bf16, 2048, 2048, 13312, 143.5},  // (140.6)
        ProductCase{"h100-sxm5-80gb", DataType::fp16, 8192, 8192, 8192, 1290},
        ProductCase{"h100-sxm5-80gb", DataType::fp16, 1024, 1024, 1024, 9.5}));

struct ConvolutionCase {
  const char* device;
  DataType type;
  std::int64_t channels, extent, features, window, stride;
  double forward, data, weights;  ///< microseconds of 16 samples; 0: not stated

  friend std::ostream& operator<<(std::ostream& out, const ConvolutionCase& c) {
    return out << c.channels << "x" << c.extent << " to " << c.features << " on " << c.device;
  }
};

KernelDemand pass_of(const ConvolutionCase& c, Pass pass) {
  const std::int64_t out = (c.extent + c.stride - 1) / c.stride;
  const Layer layer = convolution(c.channels, c.features, c.extent, out, c.window);
  KernelDemand d = demand(layer, whole(layer, 16), pass,
                          training_of(c.type == DataType::fp32 ? "fp32" : "fp16"));
  d.workspace = Bytes{1e12};
  return d;
}

/// Without padding matrix units reach 0.27 of their rate with three channels.
TEST(GpuKernels, ConvolutionsOfPaddedImagesKeepTheirRate) {
  const Cluster cluster = one("v100-sxm2-16gb");
  const auto time = [&](DataType type, bool padded) {
    KernelDemand d = pass_of({"", type, 3, 224, 64, 7, 2, 0, 0, 0}, Pass::backward_weights);
    d.padded = padded;
    return roofline_terms(d, type, cluster).total().value;
  };
  EXPECT_LT(time(DataType::fp16, true), 0.35 * time(DataType::fp16, false));
  EXPECT_EQ(time(DataType::fp32, true), time(DataType::fp32, false));
}

class GpuConvolutions : public testing::TestWithParam<ConvolutionCase> {};

TEST_P(GpuConvolutions, TakeWhatThePrototypeSays) {
  const ConvolutionCase& c = GetParam();
  const Cluster cluster = one(c.device);
  const auto expect = [&](Pass pass, double microseconds) {
    if (microseconds == 0) return;
    const double time = roofline_terms(pass_of(c, pass), c.type, cluster).total().value * 1e6;
    EXPECT_NEAR(time / microseconds, 1, 6e-3) << name_of(pass) << ": " << time;
  };
  expect(Pass::forward, c.forward);
  expect(Pass::backward_data, c.data);
  expect(Pass::backward_weights, c.weights);
}

constexpr DataType kFp32 = DataType::fp32, kFp16 = DataType::fp16;
INSTANTIATE_TEST_SUITE_P(
    Prototype, GpuConvolutions,
    testing::Values(
        // (161, 154, 245), (801, 859, 766), (1246, 1209, 1928), (280, 430, 490), (304, -, 553)
        ConvolutionCase{"v100-sxm2-16gb", kFp32, 64, 56, 256, 1, 1, 159.6, 155.0, 228.5},
        ConvolutionCase{"v100-sxm2-16gb", kFp32, 256, 28, 512, 3, 1, 848, 852, 802},
        ConvolutionCase{"v100-sxm2-16gb", kFp32, 64, 112, 128, 3, 1, 1205, 1199, 1910},
        ConvolutionCase{"v100-sxm2-16gb", kFp32, 1024, 14, 2048, 1, 2, 320, 423, 440},
        ConvolutionCase{"v100-sxm2-16gb", kFp32, 3, 224, 64, 7, 2, 324, 0, 684},
        ConvolutionCase{"t4", kFp32, 64, 56, 256, 1, 1, 485, 470, 647},
        ConvolutionCase{"t4", kFp32, 256, 28, 512, 3, 1, 2593, 2561, 2413},
        ConvolutionCase{"titan-x-maxwell", kFp32, 256, 28, 512, 3, 1, 3795, 3793, 2644},
        // (48, 64, 60), (310, 378, 330), (64, 85, 49)
        ConvolutionCase{"v100-sxm2-16gb", kFp16, 64, 56, 256, 1, 1, 50.4, 52.1, 58.2},
        ConvolutionCase{"v100-sxm2-16gb", kFp16, 256, 28, 512, 3, 1, 343, 436, 401},
        ConvolutionCase{"v100-sxm2-16gb", kFp16, 1024, 14, 2048, 1, 2, 57.8, 84.7, 64.0}));

TEST(GpuProduct, NeverFallsWithItsSize) {
  std::mt19937_64 generator{11};
  for (const char* device : {"a100-sxm4-40gb", "v100-sxm2-16gb"}) {
    const Cluster cluster = one(device);
    for (int i = 0; i < 2000; ++i) {
      const auto extent = [&] { return static_cast<std::int64_t>(8 + generator() % 1024 * 8); };
      const std::int64_t m = extent(), n = extent(), k = extent();
      const auto time = [&](std::int64_t a, std::int64_t b, std::int64_t c) {
        return roofline_terms(product(a, b, c, kFp16), kFp16, cluster).arithmetic.value;
      };
      const double least = time(m, n, k) * (1 - 1e-12);
      EXPECT_GE(time(m + 8, n, k), least) << m << "x" << n << "x" << k;
      EXPECT_GE(time(m, n + 8, k), least) << m << "x" << n << "x" << k;
      EXPECT_GE(time(m, n, k + 8), least) << m << "x" << n << "x" << k;
    }
  }
}

TEST(GpuProduct, StaysBelowTheCeiling) {
  for (const char* device : {"k80", "p100-sxm2-16gb", "v100-sxm2-16gb", "t4", "a100-sxm4-80gb"}) {
    const Cluster cluster = one(device);
    const KernelDemand d = product(16384, 16384, 16384, kFp32);
    const double least = d.flops.value / cluster.device.sustained_peak_of(kFp32).value;
    EXPECT_GT(roofline(d, kFp32, cluster).time.value, least) << device;
    EXPECT_LT(roofline(d, kFp32, cluster).time.value, 2 * least) << device;
  }
}

TEST(GpuProduct, HalfPrecisionWithoutAMatrixUnitIsNoFaster) {
  const Cluster cluster = one("p100-pcie-16gb");
  const KernelDemand d = product(4096, 4096, 4096, kFp32);
  EXPECT_EQ(roofline_terms(d, kFp16, cluster).arithmetic,
            roofline_terms(d, kFp32, cluster).arithmetic);
}

/// BLOOM's sweep on A100: heads of 108 took 30 % more of a step than heads of 144.
TEST(GpuProduct, GroupsThatBeginAskewLeaveTheMatrixUnit) {
  const Cluster cluster = one("a100-sxm4-80gb");
  KernelDemand d = product(2048, 2048, 108, kFp16);
  d.flops = d.flops * 16;
  d.groups = 16;
  const Seconds straight = roofline_terms(d, kFp16, cluster).arithmetic;
  d.aligned = false;
  const Seconds askew = roofline_terms(d, kFp16, cluster).arithmetic;
  EXPECT_EQ(askew, roofline_terms(d, kFp32, cluster).arithmetic);
  EXPECT_GT(askew, straight * 8);
  d.groups = 1;
  EXPECT_LT(roofline_terms(d, kFp16, cluster).arithmetic, askew);
}

TEST(GpuConvolution, WithoutRoomThereIsNoUnfusedFilter) {
  const ConvolutionCase c{"v100-sxm2-16gb", kFp32, 256, 28, 512, 3, 1, 0, 0, 0};
  const Cluster cluster = one(c.device);
  KernelDemand d = pass_of(c, Pass::forward);
  const Seconds roomy = roofline(d, kFp32, cluster).time;
  d.workspace = {};
  const Seconds fused = roofline(d, kFp32, cluster).time;
  d.map = {};
  const Seconds direct = roofline(d, kFp32, cluster).time;
  EXPECT_LT(roomy, fused);
  EXPECT_LT(fused, direct);
}

TEST(GpuConvolution, NarrowGroupsSharePartOfATile) {
  const Cluster cluster = one("v100-sxm2-16gb");
  const auto time = [&](std::int64_t groups) {
    const Layer layer = convolution(256, 256, 28, 28, 3, groups);
    return roofline_terms(demand(layer, whole(layer, 16), Pass::forward, training_of("fp32")),
                          kFp32, cluster)
        .arithmetic.value;
  };
  // 64 groups of 4 are packed to 8 of 32: no more work than 8 groups have.
  EXPECT_NEAR(time(64), time(8), 1e-9);
}

TEST(GpuConvolution, DepthwiseReachesAPartOfTheBandwidth) {
  const Cluster cluster = one("v100-sxm2-16gb");
  const Layer layer = convolution(96, 96, 56, 56, 3, 96);
  const auto rate = [&](Pass pass) {
    const KernelDemand d = demand(layer, whole(layer, 16), pass, training_of("fp32"));
    return d.traffic.value / roofline_terms(d, kFp32, cluster).memory.value / 900e9;
  };
  EXPECT_NEAR(rate(Pass::forward), 0.85 * 0.35, 1e-9);
  EXPECT_NEAR(rate(Pass::backward_data), 0.85 * 0.35, 1e-9);
  EXPECT_NEAR(rate(Pass::backward_weights), 0.85 * 0.10, 1e-9);
}

TEST(GpuLibrary, UnknownAndLaterGenerationsHaveVoltasAndAmperes) {
  Device device = gpu();
  const double vector = gpu_library(device, kFp32).beta;
  device.generation = Generation::volta;
  EXPECT_EQ(gpu_library(device, kFp32).beta, vector);
  const double volta = gpu_library(device, kFp16).beta;
  device.generation = Generation::blackwell;
  const double later = gpu_library(device, kFp16).beta;
  device.generation = Generation::ampere;
  EXPECT_EQ(gpu_library(device, kFp16).beta, later);
  EXPECT_NE(volta, later);
}

TEST(GpuLibrary, LoadsCostAUnitOfLessRateLess) {
  Device device = gpu();
  device.generation = Generation::ampere;
  const GpuLibrary whole = gpu_library(device, kFp16);
  device.matrix_rate = 256;
  const GpuLibrary quarter = gpu_library(device, kFp16);
  EXPECT_DOUBLE_EQ(quarter.beta, whole.beta / 4);
  EXPECT_NEAR(quarter.passes[0], 0.973, 0.001);
  EXPECT_NEAR(quarter.few, 0.597, 0.001);
  EXPECT_EQ(quarter.ceiling, whole.ceiling);
  EXPECT_EQ(gpu_library(device, kFp32).beta, gpu_library(gpu(), kFp32).beta);
  device.matrix_rate = 2048;
  EXPECT_EQ(gpu_library(device, kFp16).beta, whole.beta);
}

}  // namespace gpu_kernels_test
}  // namespace oracle
