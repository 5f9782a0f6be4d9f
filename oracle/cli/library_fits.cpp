#include "oracle/cli/library_fits.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/accuracy/kernel_times.h"
#include "oracle/accuracy/library_fit.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kLeastSide = 32;
constexpr std::array<Pass, 3> kPassesTimed = {Pass::forward, Pass::backward_data,
                                              Pass::backward_weights};

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
    const ConvolutionShape shape{one.samples, one.channels, one.features, one.map,
                                 one.kernel,  one.stride,   one.pad};
    for (std::size_t p = 0; p < kPassesTimed.size(); ++p) {
      if (one.times[p]) add(convolution_demand(shape, kPassesTimed[p], precision), *one.times[p]);
    }
  }
  return kernels;
}

report::Cell number(double value) {
  report::Cell cell{.text = report::significant(value)};
  cell.value = value;
  return cell;
}

}  // namespace

std::vector<LibraryFit> fit_libraries(std::span<const PublishedKernels> published) {
  std::vector<LibraryFit> fits;
  for (const PublishedKernels& one : published) {
    if (!one.fitted) continue;
    const Cluster cluster = load_cluster("1x1x" + one.device);
    const std::vector<TimedKernel> kernels = timed_kernels(one, cluster);
    LibraryFit fit{one.device,
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

report::Document library_fit_report(std::span<const LibraryFit> fits) {
  report::Document document{.schema = "oracle/library-fit/1", .main = "constants"};
  document.headline = "constants of GPU libraries, fitted on published kernels of " +
                      report::number_of(static_cast<std::int64_t>(fits.size()), "set");
  document.subject = "loss: mean |ln(predicted / measured)|, at most 1 each; no kernel judges";
  report::Table losses{.key = "losses",
                       .title = "by device",
                       .columns = {report::text_column("device", "device"),
                                   report::text_column("precision", "format"),
                                   report::number_column("kernels", "kernels"),
                                   report::number_column("in_use", "loss in use"),
                                   report::number_column("fitted", "loss fitted")}};
  report::Table constants{.key = "constants",
                          .title = "constants",
                          .columns = {report::text_column("device", "device"),
                                      report::text_column("precision", "format"),
                                      report::text_column("constant", "constant"),
                                      report::number_column("in_use", "in use"),
                                      report::number_column("fitted", "fitted")}};
  for (const LibraryFit& fit : fits) {
    losses.rows.push_back({{report::words(fit.device), report::words(fit.precision),
                            report::count(static_cast<std::int64_t>(fit.kernels)),
                            number(fit.loss_in_use), number(fit.loss_fitted)}});
    GpuLibrary in_use = fit.in_use, fitted = fit.fitted;
    for (const LibraryConstant& constant : library_constants()) {
      if (constant.of(in_use) == 0) continue;
      constants.rows.push_back(
          {{report::words(fit.device), report::words(fit.precision), report::words(constant.name),
            number(constant.of(in_use)), number(constant.of(fitted))}});
    }
  }
  document.sections.emplace_back(std::move(losses));
  document.sections.emplace_back(std::move(constants));
  return document;
}

}  // namespace oracle::cli
