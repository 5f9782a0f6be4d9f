#include "validate/executor/step_exchange.h"

#include "validate/executor/make_exchange.h"
#include "validate/executor/weight_average.h"

namespace oracle {

StepExchange::StepExchange(const Plan& plan, const Program& program, TrainedLayers& trained,
                           StateShards& shards, Backend& backend, Communicator& communicator,
                           const RankGroups& groups, StepTimes& times, StepState& step,
                           std::int64_t steps, GradientSquares* squares)
    : program_(program),
      trained_(trained),
      shards_(shards),
      backend_(backend),
      communicator_(communicator),
      groups_(groups),
      times_(times),
      step_(step),
      stepped_(make_exchange(plan, program, trained, backend, communicator, groups, steps)),
      servers_(dynamic_cast<WeightServers*>(stepped_.get())),
      buckets_(trained, shards, backend, communicator, groups, stepped_.get()),
      squares_(squares) {}

void StepExchange::begin_step() {
  if (servers_ != nullptr) servers_->begin_step(step_.scalars.optimizer);
}

Interval StepExchange::held(LayerId id, std::size_t parameter) const {
  return is_served(id) ? servers_->held(id, parameter) : shards_.held(id, parameter);
}

std::vector<float> StepExchange::gradient(LayerId id, std::size_t parameter) const {
  std::vector<float> all = shards_.gradient(id, parameter);
  if (!is_served(id)) return all;
  const Interval own = servers_->held(id, parameter);
  return {all.begin() + own.begin, all.begin() + own.end};
}

/// It is time of the update.
void StepExchange::keep_up() {
  if (wait_for_all()) return;
  const Mark begin = times_.mark();
  servers_->keep_up();
  const std::uint32_t item = program_.updates.front().item;
  times_.count(begin, step_.record.item_seconds[item], Doing::computing);
}

void StepExchange::after(std::uint32_t item, bool last) {
  if (under_way()) advance();
  if (!last || item == kNoPlanItem) return;
  for (const GradientBucket& bucket : program_.buckets) {
    if (bucket.ready_after == item) add(bucket);
  }
}

template <typename Do>
void StepExchange::exchange(Doing doing, Do what) {
  const Mark begin = times_.mark();
  const std::uint32_t item = buckets_.item();
  what();
  times_.count(begin, step_.record.item_seconds[item], doing);
}

void StepExchange::add(const GradientBucket& bucket) {
  buckets_.count_bytes(bucket, step_.record.item_bytes);
  if (squares_ != nullptr) squares_->before_exchange(bucket.layers);
  const Mark begin = times_.mark();
  buckets_.add(bucket);
  times_.count(begin, step_.record.item_seconds[bucket.item], Doing::passing);
  if (buckets_.computes()) advance();
}

/// With what is to be computed of what has arrived.
void StepExchange::advance() {
  do {
    exchange(Doing::passing, [&] { buckets_.advance(); });
  } while (buckets_.computes());
}

void StepExchange::finish() {
  for (const GradientBucket& bucket : program_.buckets) {
    if (bucket.ready_after == kNoPlanItem) add(bucket);
  }
  while (under_way()) exchange(Doing::waiting, [&] { buckets_.finish_first(); });
}

void StepExchange::update() {
  update_weights();
  pull();
  average();
  gather();
}

/// None moves where a gradient was not finite.
void StepExchange::update_weights() {
  const OptimizerStep& optimizer = step_.scalars.optimizer;
  for (const WeightUpdate& update : program_.updates) {
    const Mark begin = times_.mark();
    if (!step_.record.skipped) {
      trained_.update(backend_, optimizer, update.layers,
                      [this](LayerId id) { return shards_.in_shards(id) || is_served(id); });
      shards_.update(optimizer, update.layers);
      // A rank serves all at once.
      if (servers_ != nullptr && &update == &program_.updates.front()) servers_->update();
    }
    times_.count(begin, step_.record.item_seconds[update.item], Doing::computing);
  }
}

void StepExchange::pull() {
  for (const GradientBucket& bucket : program_.buckets) {
    if (bucket.pull_item == kNoPlanItem) continue;
    const Mark begin = times_.mark();
    servers_->pull(bucket, step_.record.item_bytes);
    times_.count(begin, step_.record.item_seconds[bucket.pull_item], Doing::waiting);
  }
}

void StepExchange::average() {
  for (const WeightAverage& average : program_.averages) {
    if (step_.number % average.every != 0) continue;
    const Mark begin = times_.mark();
    step_.record.item_bytes[average.item] +=
        average_weights(average, trained_, backend_, communicator_, groups_);
    times_.count(begin, step_.record.item_seconds[average.item], Doing::waiting);
  }
}

void StepExchange::gather() {
  for (const WeightGather& gather : program_.updated_gathers) {
    const Mark begin = times_.mark();
    step_.record.item_bytes[gather.item] += shards_.gather_updated(gather);
    times_.count(begin, step_.record.item_seconds[gather.item], Doing::waiting);
  }
}

}  // namespace oracle
