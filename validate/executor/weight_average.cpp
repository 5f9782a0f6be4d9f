#include "validate/executor/weight_average.h"

#include "oracle/base/error.h"
#include "validate/executor/bucket_values.h"
#include "validate/executor/state_shards.h"

namespace oracle {

double average_weights(const WeightAverage& average, const TrainedLayers& trained, Backend& backend,
                       Communicator& communicator, const RankGroups& groups) {
  ensure(backend.shards_state(), "weights are averaged where buffers are the host's");
  const RankGroup& group = groups.at(average.axes);
  const std::int64_t count = elements_of(average.layers, trained, average.elements);
  const auto buffer = backend.buffer(count * kFloatBytes);
  buffer->zero(0, buffer->bytes());
  auto* values = static_cast<float*>(buffer->data());
  for_each_parameter(average.layers, trained, values,
                     [](const Weights& weights, std::size_t i, float* to) { weights.read(i, to); });
  communicator.wait(
      communicator.start_all_reduce(group.id, values, count, Element::fp32, "average of weights"));
  const float share = 1 / static_cast<float>(group.size);
  for (std::int64_t i = 0; i < count; ++i) values[i] *= share;
  for_each_parameter(
      average.layers, trained, values,
      [](Weights& weights, std::size_t i, const float* from) { weights.write(i, from); });
  return sent_bytes(Collective::all_reduce, Bytes{static_cast<double>(buffer->bytes())}, group.size)
      .value;
}

}  // namespace oracle
