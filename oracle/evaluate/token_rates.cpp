#include "oracle/evaluate/token_rates.h"

#include <algorithm>

namespace oracle {
namespace {

/// Of one sample: 2 for each multiply-add forward, and as many for each gradient that is made.
double model_flops(const Graph& graph, bool trains_all) {
  if (trains_all) return 6 * graph.multiply_adds();
  const std::vector<bool> needs = needs_gradient(graph);
  double flops = 0;
  for (const Layer& layer : graph.layers) {
    const bool to_inputs = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                       [&](LayerId input) { return needs[input]; });
    flops += layer.multiply_adds() * (2 + (to_inputs ? 2 : 0) + (layer.learns() ? 2 : 0));
  }
  return flops;
}

}  // namespace

std::optional<TokenRates> token_rates(const Graph& graph, const Cluster& cluster,
                                      const Evaluation& evaluation) {
  const Fits* fits = evaluation.fits();
  const std::int64_t tokens = graph[0].output[Axis::sequence];
  if (fits == nullptr || tokens == 1) return std::nullopt;
  const auto ranks = static_cast<double>(evaluation.ranks);
  const FlopRate peak = cluster.device.peak_of(evaluation.training.precision.compute) /
                        static_cast<double>(cluster.ranks_per_device);
  TokenRates rates;
  rates.tokens = fits->samples_per_second * static_cast<double>(tokens);
  rates.tokens_per_rank = rates.tokens / ranks;
  rates.trains_all = graph.learned_parameters() == graph.parameters();
  rates.per_rank =
      FlopRate{model_flops(graph, rates.trains_all) * fits->samples_per_second / ranks};
  rates.utilization = rates.per_rank.value / peak.value;
  return rates;
}

}  // namespace oracle
