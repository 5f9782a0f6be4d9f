#include "oracle/accuracy/library_fit.h"

#include <gtest/gtest.h>

#include "oracle/accuracy/kernel_times.h"
#include "oracle/cost/compute/roofline.h"
#include "oracle/io/clusters/cluster_reader.h"

namespace oracle {
namespace library_fit_test {

/// Large products, timed by `truth`.
std::vector<TimedKernel> timed_by(const GpuLibrary& truth, const Cluster& cluster) {
  std::vector<TimedKernel> kernels;
  for (const std::int64_t side : {1024, 2048, 3072, 4096}) {
    const KernelDemand demand = product_demand(side, side, side, precision_named("fp32"));
    kernels.push_back({demand, DataType::fp32, &cluster,
                       contraction_terms(demand, DataType::fp32, cluster, truth).total()});
  }
  return kernels;
}

TEST(LibraryFit, WorkedNumber) {
  const Cluster cluster = load_cluster("1x1xv100-sxm2-16gb");
  GpuLibrary truth = gpu_library(cluster.device, DataType::fp32), start = truth;
  truth.ceiling = 0.8;
  start.ceiling = 1;
  const auto kernels = timed_by(truth, cluster);
  EXPECT_EQ(library_loss(truth, kernels), 0);
  EXPECT_NEAR(library_loss(start, kernels), std::log(1 / 0.8), 0.02);
  const GpuLibrary fitted = fit_library(start, kernels);
  EXPECT_NEAR(fitted.ceiling, 0.8, 0.01);
  EXPECT_LT(library_loss(fitted, kernels), 0.01);
}

TEST(LibraryFit, ConstantsThatFitStay) {
  const Cluster cluster = load_cluster("1x1xv100-sxm2-16gb");
  const GpuLibrary truth = gpu_library(cluster.device, DataType::fp32);
  const GpuLibrary fitted = fit_library(truth, timed_by(truth, cluster));
  EXPECT_EQ(fitted.ceiling, truth.ceiling);
  EXPECT_EQ(fitted.hole, truth.hole) << "no product knows it";
}

}  // namespace library_fit_test
}  // namespace oracle
