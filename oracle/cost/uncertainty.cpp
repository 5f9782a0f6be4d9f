#include "oracle/cost/uncertainty.h"

#include <algorithm>
#include <array>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

constexpr double kOfProcessors = 0.35;
constexpr double kUnlike = 1.07;

struct HalfWidths {
  double vector, matrix;
};

/// Where a generation has no published step: the widest of those that have, a quarter wider.
constexpr HalfWidths kUnknownGeneration{0.51, 0.39};

HalfWidths of_generation(Generation generation) {
  switch (generation) {
    case Generation::maxwell:
      return {0.15, kUnknownGeneration.matrix};
    case Generation::pascal:
      return {0.23, kUnknownGeneration.matrix};
    case Generation::volta:
      return {0.40, 0.29};
    case Generation::turing:
      return {0.36, 0.31};
    case Generation::ampere:
      return {kUnknownGeneration.vector, 0.21};
    default:
      return kUnknownGeneration;
  }
}

double of_fabric(Fabric fabric) {
  switch (fabric) {
    case Fabric::nvlink:
      return 0.18;
    case Fabric::infiniband:
      return 0.51;
    case Fabric::host:
      return 0.71;
    default:
      return 0.88;
  }
}

/// Whether it divides images or filters.
bool is_unlike(const Strategy& strategy) {
  constexpr std::array kCuts = {Cut::depth,  Cut::height,  Cut::width,
                                Cut::filter, Cut::channel, Cut::spatial};
  return std::any_of(kCuts.begin(), kCuts.end(),
                     [&](Cut cut) { return strategy.has_anywhere(cut); });
}

}  // namespace

double kernel_uncertainty(const Cluster& cluster, DataType type) {
  const Device& device = cluster.device;
  const double left = cluster.pace.unknown();
  if (device.device_class == DeviceClass::cpu) return kOfProcessors * left;
  const HalfWidths widths = of_generation(device.generation);
  return left * (device.matrix_unit_for(type) ? widths.matrix : widths.vector);
}

double kernel_uncertainty(const Plan& plan, const Cluster& cluster) {
  const double known = kernel_uncertainty(cluster, plan.training.precision.compute);
  const bool gpu = cluster.device.device_class == DeviceClass::gpu;
  return gpu && is_unlike(plan.strategy) ? std::max(known, kUnlike) : known;
}

double link_uncertainty(const Group& group) {
  double widest = 0;
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (units_joined(group, l) < 2) continue;
    widest = std::max(widest, of_fabric(group.level[l].fabric));
  }
  return widest;
}

double link_uncertainty(const Plan& plan, const Group& group) {
  const double known = link_uncertainty(group);
  return is_unlike(plan.strategy) ? std::max(known, kUnlike) : known;
}

}  // namespace oracle
