#include "oracle/cost/accumulation.h"

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

constexpr double kLeftWhereCached = 1.0 / 3;
constexpr double kPartOfCache = 1.0 / 20;

/// The scratch that a layer's gradients are written into, until the next layer takes it.
bool stays_cached(const Piece& piece, const Training& training, const Cluster& cluster) {
  const double bytes = static_cast<double>(piece.weights) * training.precision.gradient_bytes;
  const Bytes part = cluster.device.cache / static_cast<double>(cluster.ranks_per_device);
  return bytes <= part.value * kPartOfCache;
}

/// As many values as there are weights.
Piece values_of(const Piece& piece) {
  Piece values;
  values.samples = 1;
  values.output[Axis::channel] = piece.weights;
  return values;
}

}  // namespace

double accumulation_share(const Plan& plan, const Piece& piece, Pass pass, const Cluster& cluster) {
  const auto micro_batches = static_cast<double>(plan.strategy.micro_batches);
  const double adding =
      plan.training.precision.has_main_gradients() ? micro_batches : micro_batches - 1;
  if (pass != Pass::backward_weights || adding <= 0) return 0;
  const double left = stays_cached(piece, plan.training, cluster) ? kLeftWhereCached : 1;
  return adding / micro_batches * left;
}

KernelDemand accumulation_demand(const Layer& layer, const Piece& piece, const Training& training,
                                 DeviceClass device_class) {
  KernelDemand out;
  out.kernels = 0;
  if (layer.looks_up || piece.weights == 0) return out;
  out = demand(layer, values_of(piece), Pass::gradient_sum, training);
  const Precision& precision = training.precision;
  const auto weights = static_cast<double>(piece.weights);
  const bool main = precision.has_main_gradients();
  const int touched = 2 * precision.gradient_bytes;  // the sum, read and written
  if (main) out.traffic = Bytes{weights * (touched + precision.made_bytes())};
  if (device_class == DeviceClass::gpu && layer.kind->name == "dense") {
    out.kernels = 0;
    // The sum is read; a wider one is also written in place of what the kernel would write.
    out.traffic = main ? Bytes{weights * (touched - precision.made_bytes())} : out.traffic / 3;
  }
  return out;
}

KernelKey accumulation_key(const Layer& layer, const Piece& piece, const Training& training) {
  return key_of(layer, values_of(piece), Pass::gradient_sum, training);
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
