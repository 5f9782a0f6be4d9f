#include "oracle/accuracy/library_fit.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/cost/compute/roofline.h"

namespace oracle {
namespace {

constexpr std::array<LibraryConstant, 10> kConstants = {{
    {"ceiling", [](GpuLibrary& library) -> double& { return library.ceiling; }},
    {"beta", [](GpuLibrary& library) -> double& { return library.beta; }},
    {"forward", [](GpuLibrary& library) -> double& { return library.passes[0]; }},
    {"data", [](GpuLibrary& library) -> double& { return library.passes[1]; }},
    {"weights", [](GpuLibrary& library) -> double& { return library.passes[2]; }},
    {"hole", [](GpuLibrary& library) -> double& { return library.hole; }},
    {"weight depth", [](GpuLibrary& library) -> double& { return library.weight_depth; }},
    {"few", [](GpuLibrary& library) -> double& { return library.few; }},
    {"fused", [](GpuLibrary& library) -> double& { return library.fused; }},
    {"transforms", [](GpuLibrary& library) -> double& { return library.transforms; }},
}};

constexpr std::array<double, 3> kSteps = {1.25, 1.08, 1.02};
constexpr int kMostRounds = 12;

/// Tries a constant times `factor` as long as that lowers the loss; whether it did.
bool descend(const LibraryConstant& constant, double factor, GpuLibrary& library, double& loss,
             std::span<const TimedKernel> kernels) {
  bool fell = false;
  while (true) {
    GpuLibrary other = library;
    constant.of(other) *= factor;
    const double tried = library_loss(other, kernels);
    if (!(tried < loss)) return fell;
    library = other;
    loss = tried;
    fell = true;
  }
}

}  // namespace

double library_loss(const GpuLibrary& library, std::span<const TimedKernel> kernels) {
  double sum = 0;
  for (const TimedKernel& kernel : kernels) {
    const Seconds time =
        contraction_terms(kernel.demand, kernel.type, *kernel.cluster, library).total();
    sum += std::min(1.0, std::abs(std::log(time / kernel.measured)));
  }
  return kernels.empty() ? 0 : sum / static_cast<double>(kernels.size());
}

std::span<const LibraryConstant> library_constants() { return kConstants; }

GpuLibrary fit_library(GpuLibrary start, std::span<const TimedKernel> kernels) {
  GpuLibrary library = start;
  double loss = library_loss(library, kernels);
  for (const double step : kSteps) {
    bool fell = true;
    for (int round = 0; fell && round < kMostRounds; ++round) {
      fell = false;
      for (const LibraryConstant& constant : kConstants) {
        for (const double factor : {step, 1 / step}) {
          fell = descend(constant, factor, library, loss, kernels) || fell;
        }
      }
    }
  }
  return library;
}

}  // namespace oracle
