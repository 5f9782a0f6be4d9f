#include "oracle/evaluate/storage_costs.h"

#include <algorithm>

namespace oracle {
namespace {

/// The rate of so many workers, else of the nearest number that was measured. Of reads the medium's
/// counts before that of memory.
const StorageRate* find(const Profile& profile, StorageOperation operation, std::int64_t workers) {
  const StorageRate* best = nullptr;
  const auto distance = [&](const StorageRate& rate) {
    return std::pair(rate.cached, rate.workers > workers ? rate.workers : workers - rate.workers);
  };
  for (const StorageRate& rate : profile.storage) {
    if (rate.operation != operation) continue;
    if (best == nullptr || distance(rate) < distance(*best)) best = &rate;
  }
  return best;
}

Cost cost_of(const StorageRate& rate, Bytes bytes, double times) {
  const bool inside = rate.least <= bytes && bytes <= rate.most;
  return {time_of(rate, bytes) * times, inside ? Source::measured : Source::fitted,
          rate.uncertainty};
}

Cost sum_of(const Cost& a, const Cost& b) {
  CostSum sum;
  sum.add(a);
  sum.add(b);
  return sum.total();
}

/// What is left of `cost` beyond the step; both may be off.
Cost beyond(const Cost& cost, Seconds step) {
  if (cost.time <= step) return {Seconds{0}, cost.source, 0};
  const Seconds left = cost.time - step;
  return {left, cost.source, cost.uncertainty * (cost.time / left)};
}

/// How much of the input a rank reads, and who reads beside it.
struct Readers {
  std::int64_t samples = 0;  ///< of a rank in a step
  std::int64_t ranks = 1;    ///< that read, of all
  std::int64_t per_host = 1;
};

std::int64_t stages_of(const Strategy& strategy) {
  std::int64_t stages = 1;
  for (const MeshAxis& axis : strategy.mesh) {
    if (axis.cut == Cut::pipeline) stages *= axis.degree;
  }
  return stages;
}

/// Only the first of a pipeline's stages reads.
Readers readers_of(const Setting& setting, const Evaluation& evaluation) {
  const std::int64_t micro_batches = std::max<std::int64_t>(evaluation.strategy.micro_batches, 1);
  const std::int64_t batch = evaluation.training.batch, replicas = evaluation.strategy.replicas();
  Readers readers;
  readers.ranks = evaluation.ranks / stages_of(evaluation.strategy);
  readers.samples = (batch + replicas - 1) / replicas;
  if (evaluation.plan) readers.samples = evaluation.plan->pieces[0].samples * micro_batches;
  readers.per_host = std::min(readers.ranks, setting.cluster.capacity(0));
  return readers;
}

void expose(InputCost& cost, const Evaluation& evaluation) {
  const Cost& slower = cost.limited_by_workers() ? cost.workers : cost.storage;
  cost.exposed = beyond(slower, evaluation.fits()->step.time);
}

InputCost measured_input(const Setting& setting, const Evaluation& evaluation,
                         const StorageRate& read, const StorageRate& decode, std::int64_t workers) {
  const Readers readers = readers_of(setting, evaluation);
  InputCost cost;
  cost.sample = bytes_of_a_sample(setting.graph);
  cost.cached = read.cached;
  cost.samples = readers.samples;
  const auto samples = static_cast<double>(cost.samples);
  const Cost reading = cost_of(read, cost.sample, 1);
  // What was measured from memory says nothing of what ranks share.
  if (!read.cached) cost.storage = reading * (samples * static_cast<double>(readers.per_host));
  cost.workers =
      sum_of(reading, cost_of(decode, cost.sample, 1)) * (samples / static_cast<double>(workers));
  expose(cost, evaluation);
  return cost;
}

InputCost described_input(const Setting& setting, const Evaluation& evaluation,
                          const SampleReading& reading, std::int64_t workers) {
  const Readers readers = readers_of(setting, evaluation);
  const ReadingTime time =
      reading_time(reading, readers.samples, readers.ranks, readers.per_host, workers);
  const Source source = source_of(reading.storage, "read");
  InputCost cost;
  cost.sample = reading.sample;
  cost.samples = readers.samples;
  cost.storage = {time.storage, source, kReadingUncertainty};
  cost.workers = {time.workers, source, kReadingUncertainty};
  expose(cost, evaluation);
  return cost;
}

}  // namespace

Bytes bytes_of_a_sample(const Graph& graph) {
  return Bytes{static_cast<double>(graph[0].output.elements())};
}

Bytes checkpoint_bytes(const Graph& graph, const Training& training) {
  const int each = bytes_per_parameter(training) - training.precision.gradient_bytes;
  return Bytes{static_cast<double>(graph.learned_parameters()) * each};
}

std::optional<Cost> checkpoint_time(const Profile& profile, Bytes bytes) {
  const StorageRate* write = find(profile, StorageOperation::checkpoint, 1);
  if (write == nullptr) return std::nullopt;
  return cost_of(*write, bytes, 1);
}

Cost checkpoint_time(const StorageSystem& storage, Bytes bytes) {
  return {write_time(storage, bytes), source_of(storage, "write"), kReadingUncertainty};
}

std::optional<StorageCosts> storage_costs(const Setting& setting, const Evaluation& evaluation,
                                          const StorageRequest& request) {
  const Profile& profile = setting.profile;
  const Fits* fits = evaluation.fits();
  if (fits == nullptr) return std::nullopt;
  StorageCosts costs{.request = request};
  CostSum step;
  step.add(fits->step);
  const StorageRate* read = find(profile, StorageOperation::read_random, 1);
  const StorageRate* decode = find(profile, StorageOperation::decode, request.workers);
  if (request.reading) {
    costs.input = described_input(setting, evaluation, *request.reading, request.workers);
  } else if (read != nullptr && decode != nullptr) {
    costs.input = measured_input(setting, evaluation, *read, *decode, request.workers);
  }
  if (costs.input) step.add(costs.input->exposed);
  const Bytes bytes = checkpoint_bytes(setting.graph, evaluation.training);
  const std::optional<Cost> time = request.reading
                                       ? checkpoint_time(request.reading->storage, bytes)
                                       : checkpoint_time(profile, bytes);
  if (time) {
    costs.checkpoint = {bytes, *time};
    if (request.checkpoint_every > 0) {
      step.add(costs.checkpoint->time * (1 / static_cast<double>(request.checkpoint_every)));
    }
  }
  if (!costs.input && !costs.checkpoint) return std::nullopt;
  costs.step = step.total();
  return costs;
}

}  // namespace oracle
