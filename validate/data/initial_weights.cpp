#include "validate/data/initial_weights.h"

#include <cmath>

#include "oracle/graph/kinds/kind.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

constexpr std::uint64_t kWeights = 0x7765696768747300;
constexpr std::uint64_t kMostParameters = 8;
/// Of trained sums, such as the places of tokens: Dosovitskiy et al., ICLR 2021.
constexpr double kShift = 0.02;

double fan_in(const Layer& layer) {
  const std::int64_t channels = layer.input.channels() / layer.groups;
  return static_cast<double>(channels * layer.window.volume());
}

/// Of the normal distribution that a weight is drawn from.
double deviation(const Layer& layer) {
  if (layer.has_filters()) return std::sqrt(2 / fan_in(layer));
  return layer.kind->name == "embedding" ? 1 : kShift;
}

/// Whether all of its weights are drawn evenly, as those of PyTorch's nn.LSTM, nn.GRU and nn.RNN.
bool is_recurrent(const Layer& layer) {
  return layer.weights.size() > 1 && layer.weights[1].name == "recurrence";
}

/// Of W [gates·h, channels] and R [gates·h, h].
double hidden_features(const Layer& layer) {
  return static_cast<double>(layer.input.channels() * layer.weights[1].elements) /
         static_cast<double>(layer.weights[0].elements);
}

}  // namespace

std::vector<float> initial_values(const Layer& layer, LayerId id, std::size_t index,
                                  const ParameterSlice& slice, std::uint64_t seed) {
  const std::string& name = layer.weights[index].name;
  std::vector<float> values(static_cast<std::size_t>(slice.elements()),
                            name == "gamma" || layer.variant == "scale" ? 1.f : 0.f);
  const bool recurrent = is_recurrent(layer);
  const bool drawn_at_all =
      recurrent || (layer.variant != "scale" && (name == "weight" || name == "bias"));
  if (!drawn_at_all) return values;
  const std::uint64_t stream = kWeights + id * kMostParameters + index;
  const bool matrix = name == "weight" && !recurrent;
  const double width = recurrent ? hidden_features(layer) : fan_in(layer);
  const double scale = matrix ? deviation(layer) : 1 / std::sqrt(width);
  for (std::int64_t i = 0; i < slice.elements(); ++i) {
    const auto place = static_cast<std::uint64_t>(slice.global_index(i));
    const double drawn =
        matrix ? normal(seed, stream, place) : 2 * uniform(seed, stream, place) - 1;
    values[static_cast<std::size_t>(i)] = static_cast<float>(scale * drawn);
  }
  return values;
}

}  // namespace oracle
