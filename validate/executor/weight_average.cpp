#include "validate/executor/weight_average.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "validate/executor/state_shards.h"

namespace oracle {
namespace {

template <typename Visit>
void for_each_parameter(const WeightAverage& average, const TrainedLayers& trained, float* begin,
                        Visit visit) {
  for (const LayerId id : average.layers) {
    Weights& weights = *trained.find(id);
    for (std::size_t i = 0; i < trained.parameters(id); ++i) {
      visit(weights, i, begin);
      begin += weights.elements(i);
    }
  }
}

}  // namespace

double average_weights(const WeightAverage& average, const TrainedLayers& trained, Backend& backend,
                       Communicator& communicator, const RankGroups& groups) {
  ensure(backend.shards_state(), "weights are averaged where buffers are the host's");
  const RankGroup& group = groups.at(average.axes);
  // A rank may hold less than the plan counts: a bias that another adds.
  std::int64_t held = 0;
  for (const LayerId id : average.layers) held += trained.elements(id);
  const std::int64_t count = std::max(average.elements, held);
  const auto buffer = backend.buffer(count * kFloatBytes);
  buffer->zero(0, buffer->bytes());
  auto* values = static_cast<float*>(buffer->data());
  for_each_parameter(average, trained, values,
                     [](const Weights& weights, std::size_t i, float* to) { weights.read(i, to); });
  communicator.wait(
      communicator.start_all_reduce(group.id, values, count, Element::fp32, "average of weights"));
  const float share = 1 / static_cast<float>(group.size);
  for (std::int64_t i = 0; i < count; ++i) values[i] *= share;
  for_each_parameter(
      average, trained, values,
      [](Weights& weights, std::size_t i, const float* from) { weights.write(i, from); });
  return sent_bytes(Collective::all_reduce, Bytes{static_cast<double>(buffer->bytes())}, group.size)
      .value;
}

}  // namespace oracle
