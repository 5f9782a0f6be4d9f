#include "oracle/accuracy/run_class.h"

#include <array>
#include <string_view>
#include <utility>

namespace oracle {
namespace {

constexpr std::array<std::pair<Cut, std::string_view>, 15> kNames = {
    {{Cut::sample, "data"},
     {Cut::spatial, "spatial"},
     {Cut::depth, "spatial"},
     {Cut::height, "spatial"},
     {Cut::width, "spatial"},
     {Cut::filter, "filter"},
     {Cut::channel, "channel"},
     {Cut::alternate, "tensor"},
     {Cut::alternate_sequence, "tensor"},
     {Cut::alternate_expert, "tensor"},
     {Cut::context, "context"},
     {Cut::ring, "context"},
     {Cut::ulysses, "context"},
     {Cut::expert, "expert"},
     {Cut::pipeline, "pipeline"}}};

std::string kind_of(const Strategy& strategy) {
  if (strategy.ranks() <= 1) return "one device";
  std::string kind;
  for (const auto& [cut, name] : kNames) {
    if (!strategy.has_anywhere(cut) || kind.ends_with(name)) continue;
    kind.append(kind.empty() ? "" : "+").append(name);
  }
  return kind == "data" ? "data parallel" : kind;
}

std::string scale_of(const Strategy& strategy, const Cluster& cluster) {
  if (strategy.ranks() <= 1) return "one device";
  return strategy.ranks() <= cluster.capacity(0) ? "one node" : "several nodes";
}

}  // namespace

RunClass class_of(const Strategy& strategy, const Training& training, const Cluster& cluster) {
  const Device& device = cluster.device;
  return {kind_of(strategy), scale_of(strategy, cluster),
          std::string(device.device_class == DeviceClass::cpu ? "cpu" : name_of(device.generation)),
          std::string(training.precision.name)};
}

}  // namespace oracle
