#include "oracle/plan/exchange.h"

#include <array>

#include "oracle/plan/item_list.h"

namespace oracle {

void emit_exchange(const Strategy& strategy, Stage& stage, Buckets& buckets) {
  const BackwardEnd& end = stage.backward_end;
  stage.items.resize(end.items);
  stage.needs.resize(end.needs);
  if (end.gradients.empty()) return;
  stage.items.reserve(end.items + end.most_items());
  // An exchange needs two items at most, the update every exchange and two more.
  stage.needs.reserve(end.needs + 3 * end.most_items());

  buckets.restart(strategy.bucket, end.gradients.size());
  for (const Gradient& gradient : end.gradients) {
    buckets.add(gradient);
  }
  const std::array<std::uint32_t, 2> all = {end.last_work, end.last_transfer};
  for (const Bucket& bucket : buckets.finish()) {
    const std::span own(&bucket.ready_after, 1);
    append_item(stage, bucket.transfer, Phase::exchange, strategy.overlap ? own : std::span(all));
    stage.items.back().reads = stage.items.back().writes = bucket.gradients;
  }
  const auto exchanges_end = static_cast<std::uint32_t>(stage.items.size());
  append_item(stage, Work{kAllLayers, Pass::update}, Phase::update, all);
  stage.items.back().reads = end.all;
  for (std::uint32_t item = end.items; item < exchanges_end; ++item) add_need(stage, item);
}

}  // namespace oracle
