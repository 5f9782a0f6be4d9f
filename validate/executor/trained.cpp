#include "validate/executor/trained.h"

#include "oracle/base/error.h"
#include "validate/data/initial_weights.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

constexpr std::uint64_t kWeightNoise = 0x6e6f697365;

void disturb(std::vector<float>& values, const ParameterSlice& slice, double noise) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto place = static_cast<std::uint64_t>(slice.global_index(static_cast<std::int64_t>(i)));
    const double drawn = 2 * uniform(kWeightNoise, 0, place) - 1;
    values[i] = static_cast<float>(values[i] * (1 + noise * drawn));
  }
}

}  // namespace

TrainedLayers::TrainedLayers(const Graph& graph, const Program& program, Backend& backend,
                             std::uint64_t seed, double noise)
    : weights_(graph.size()), parameters_(graph.size(), 0) {
  for (LayerId id = 0; id < graph.size(); ++id) {
    owner_.push_back(owner_of_weights(graph, id).value_or(id));
  }
  for (const TrainedLayer& trained : program.trained) {
    const LocalLayer& local = program.kernels[trained.kernel].layer;
    auto weights = backend.weights(local);
    for (std::size_t i = 0; i < trained.parameters.size(); ++i) {
      ensure(weights->elements(i) == trained.parameters[i].elements(),
             "the back end's weights are as large as the rank's slice");
      std::vector<float> values =
          initial_values(*local.layer, trained.layer, i, trained.parameters[i], seed);
      if (noise > 0) disturb(values, trained.parameters[i], noise);
      weights->write(i, values.data());
    }
    weights_[trained.layer] = std::move(weights);
    parameters_[trained.layer] = trained.parameters.size();
  }
}

std::int64_t TrainedLayers::elements(LayerId id) const {
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < parameters(id); ++i) sum += find(id)->elements(i);
  return sum;
}

std::string TrainedLayers::kept_orders() const {
  std::string lines;
  for (LayerId id = 0; id < weights_.size(); ++id) {
    for (std::size_t i = 0; i < parameters_[id]; ++i) {
      lines += std::to_string(id) + '.' + std::to_string(i) + ' ' + find(id)->kept_order(i) + '\n';
    }
  }
  return lines;
}

void TrainedLayers::pack_as_kept() {
  for (const auto& weights : weights_) {
    if (weights) weights->pack_as_kept();
  }
}

void TrainedLayers::begin_step() {
  for (const auto& weights : weights_) {
    if (weights) weights->begin_step();
  }
}

bool TrainedLayers::finite(Backend& backend) const {
  std::vector<Weights*> all;
  for (const auto& weights : weights_) {
    if (weights) all.push_back(weights.get());
  }
  return backend.finite(all);
}

double TrainedLayers::gradient_square(LayerId id) const {
  double sum = 0;
  std::vector<float> values;
  for (std::size_t i = 0; i < parameters(id); ++i) {
    values.resize(static_cast<std::size_t>(find(id)->elements(i)));
    find(id)->read_gradient(i, values.data());
    for (const float value : values) sum += static_cast<double>(value) * value;
  }
  return sum;
}

void TrainedLayers::update(Backend& backend, const OptimizerStep& step, const LayerSpan& layers,
                           const std::function<bool(LayerId)>& elsewhere) {
  for (LayerId id = layers.first; id <= layers.last; ++id) {
    if (weights_[id] && !elsewhere(id)) backend.update(*weights_[id], step);
  }
}

}  // namespace oracle
