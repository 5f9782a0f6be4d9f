#include "oracle/accuracy/kernel_times.h"

#include <gtest/gtest.h>

#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace kernel_times_test {

TEST(KernelTimes, WorkedNumber) {
  const Seconds time =
      product_alone(4096, 7000, 4096, precision_named("fp32"), load_cluster("1x1xv100-sxm2-16gb"));
  EXPECT_NEAR(time.value, 16.998e-3, 0.1e-3);
}

/// As tests/cost/compute/gpu_kernels_test.cpp has them, of 16 samples.
TEST(KernelTimes, AConvolutionHasThreePasses) {
  const Cluster cluster = load_cluster("1x1xv100-sxm2-16gb");
  const ConvolutionShape shape{16, 64, 256, {56, 56}, {1, 1}, {1, 1}, {0, 0}};
  const auto of = [&](Pass pass) {
    return convolution_alone(shape, pass, precision_named("fp32"), cluster).value * 1e6;
  };
  EXPECT_NEAR(of(Pass::forward), 159.6, 1);
  EXPECT_NEAR(of(Pass::backward_data), 155.0, 1);
  EXPECT_NEAR(of(Pass::backward_weights), 228.5, 1);
}

TEST(KernelTimes, AWindowLargerThanItsImageIsRefused) {
  const ConvolutionShape shape{1, 1, 1, {3, 3}, {5, 5}, {1, 1}, {0, 0}};
  EXPECT_THROW(convolution_alone(shape, Pass::forward, precision_named("fp32"),
                                 load_cluster("1x1xv100-sxm2-16gb")),
               InputError);
}

}  // namespace kernel_times_test
}  // namespace oracle
