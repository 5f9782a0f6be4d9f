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

Bytes bytes_of_a_sample(const Graph& graph) {
  return Bytes{static_cast<double>(graph[0].output.elements())};
}

InputCost input_cost(const Setting& setting, const Evaluation& evaluation, const StorageRate& read,
                     const StorageRate& decode, std::int64_t workers) {
  const Plan& plan = *evaluation.plan;
  InputCost cost;
  cost.sample = bytes_of_a_sample(setting.graph);
  cost.cached = read.cached;
  const std::int64_t micro_batches = std::max<std::int64_t>(plan.strategy.micro_batches, 1);
  cost.samples = plan.pieces[0].samples * micro_batches;
  const std::int64_t reading_ranks = plan.ranks() / plan.group_size(plan.pipeline_axes);
  const std::int64_t sharing = std::min(reading_ranks, setting.cluster.capacity(0));
  const auto samples = static_cast<double>(cost.samples);
  const Cost reading = cost_of(read, cost.sample, 1);
  // What was measured from memory says nothing of what ranks share.
  if (!read.cached) cost.storage = reading * (samples * static_cast<double>(sharing));
  cost.workers =
      sum_of(reading, cost_of(decode, cost.sample, 1)) * (samples / static_cast<double>(workers));
  const Cost& slower = cost.limited_by_workers() ? cost.workers : cost.storage;
  cost.exposed = beyond(slower, evaluation.fits()->step.time);
  return cost;
}

}  // namespace

Bytes checkpoint_bytes(const Graph& graph, const Training& training) {
  const int each = bytes_per_parameter(training) - training.precision.gradient_bytes;
  return Bytes{static_cast<double>(graph.parameters()) * each};
}

std::optional<Cost> checkpoint_time(const Profile& profile, Bytes bytes) {
  const StorageRate* write = find(profile, StorageOperation::checkpoint, 1);
  if (write == nullptr) return std::nullopt;
  return cost_of(*write, bytes, 1);
}

std::optional<StorageCosts> storage_costs(const Setting& setting, const Evaluation& evaluation,
                                          const StorageRequest& request) {
  const Profile& profile = setting.profile;
  const Fits* fits = evaluation.fits();
  if (profile.storage.empty() || fits == nullptr || !evaluation.plan) return std::nullopt;
  StorageCosts costs{.request = request};
  CostSum step;
  step.add(fits->step);
  const StorageRate* read = find(profile, StorageOperation::read_random, 1);
  const StorageRate* decode = find(profile, StorageOperation::decode, request.workers);
  if (read != nullptr && decode != nullptr) {
    costs.input = input_cost(setting, evaluation, *read, *decode, request.workers);
    step.add(costs.input->exposed);
  }
  const Bytes bytes = checkpoint_bytes(setting.graph, evaluation.training);
  if (const std::optional<Cost> time = checkpoint_time(profile, bytes)) {
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
