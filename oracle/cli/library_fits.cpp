#include "oracle/cli/library_fits.h"

#include <algorithm>

#include "oracle/accuracy/kernel_times.h"
#include "oracle/accuracy/library_fit.h"
#include "oracle/cli/timed_passes.h"
#include "oracle/io/clusters/cluster_reader.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kLeastSide = 32;

std::vector<TimedKernel> timed_kernels(const PublishedKernels& published, const Cluster& cluster) {
  const Precision& precision = precision_named(published.precision);
  std::vector<TimedKernel> kernels;
  const auto add = [&](const KernelDemand& demand, Seconds measured) {
    if (demand.contracts()) kernels.push_back({demand, precision.compute, &cluster, measured});
  };
  for (const PublishedProduct& one : published.products) {
    if (std::min(one.m, one.n) < kLeastSide) continue;
    add(product_demand(one.m, one.n, one.k, precision), one.time);
  }
  for (const PublishedConvolution& one : published.convolutions) {
    each_timed_pass(one, [&](const ConvolutionShape& shape, Pass pass, Seconds time) {
      add(convolution_demand(shape, pass, precision), time);
    });
  }
  return kernels;
}

}  // namespace

std::vector<report::LibraryFit> fit_libraries(std::span<const PublishedKernels> published) {
  std::vector<report::LibraryFit> fits;
  for (const PublishedKernels& one : published) {
    if (!one.fitted) continue;
    const Cluster cluster = load_cluster("1x1x" + one.device);
    const std::vector<TimedKernel> kernels = timed_kernels(one, cluster);
    report::LibraryFit fit{one.device,
                           one.precision,
                           kernels.size(),
                           gpu_library(cluster.device, precision_named(one.precision).compute),
                           {}};
    fit.fitted = fit_library(fit.in_use, kernels);
    fit.loss_in_use = library_loss(fit.in_use, kernels);
    fit.loss_fitted = library_loss(fit.fitted, kernels);
    fits.push_back(fit);
  }
  return fits;
}

}  // namespace oracle::cli
