#include "oracle/cost/accumulation.h"

#include <algorithm>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

constexpr double kLeftWhereCached = 1.0 / 3;

/// Of the weights, by what adds to their gradients.
int touches(const Layer& layer, DeviceClass device_class) {
  if (layer.looks_up) return 0;
  const bool product = device_class == DeviceClass::gpu && layer.kind->name == "dense";
  return product ? 1 : 3;
}

}  // namespace

bool sums_stay_cached(const Plan& plan, const Stage& stage, const Cluster& cluster) {
  std::int64_t all = 0, largest = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) {
    all += plan.pieces[id].weights;
    largest = std::max(largest, plan.pieces[id].weights);
  }
  const Precision& precision = plan.training.precision;
  const double bytes =
      static_cast<double>(all) * (precision.weight_bytes + precision.gradient_bytes) +
      static_cast<double>(largest) * precision.gradient_bytes;
  return bytes * static_cast<double>(cluster.ranks_per_device) <= cluster.device.cache.value;
}

double accumulation_share(const Plan& plan, Pass pass, bool cached) {
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  if (pass != Pass::backward_weights || micro_batches <= 1) return 0;
  return (micro_batches - 1) / micro_batches * (cached ? kLeftWhereCached : 1);
}

KernelDemand accumulation_demand(const Layer& layer, const Piece& piece, const Training& training,
                                 DeviceClass device_class) {
  KernelDemand out;
  const int times = touches(layer, device_class);
  out.kernels = times > 1 && piece.weights > 0 ? 1 : 0;
  if (times == 0) return out;
  const auto weights = static_cast<double>(piece.weights);
  out.flops = Flops{weights};
  out.traffic = Bytes{times * weights * training.precision.gradient_bytes};
  out.m = piece.weights;
  out.n = 1;
  return out;
}

KernelKey accumulation_key(const Layer& layer, const Piece& piece, const Training& training) {
  Piece values;
  values.samples = 1;
  values.output[Axis::channel] = piece.weights;
  return key_of(layer, values, Pass::gradient_sum, training);
}

Cost with_accumulation(const Cost& pass, const Cost& sum, double share) {
  CostSum both;
  both.add(pass);
  both.add(sum * share);
  Cost cost = both.total();
  cost.fit = pass.fit;
  return cost;
}

}  // namespace oracle
