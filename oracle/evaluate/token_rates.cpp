#include "oracle/evaluate/token_rates.h"

namespace oracle {

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
  rates.per_rank = FlopRate{6 * graph.multiply_adds() * fits->samples_per_second / ranks};
  rates.utilization = rates.per_rank.value / peak.value;
  return rates;
}

}  // namespace oracle
