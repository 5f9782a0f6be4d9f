// Weights, their gradients' buckets and the update.

#include <algorithm>

#include "oracle/base/error.h"
#include "validate/program/binder.h"
#include "validate/program/parameters.h"

namespace oracle {

void Binder::train(LayerId id) {
  program_.trained.push_back({id, ran_[id].kernel, parameter_slices(pieces_, id, program_.rank)});
}

/// A bucket holds the layers summed over its axes, in backward order, up to the one it names.
void Binder::exchange_and_update() {
  const Plan& plan = pieces_.plan();
  const auto axes_of = [&](const TrainedLayer& trained) {
    return gradient_axes(pieces_.effects(trained.layer));
  };
  std::vector<bool> taken(pieces_.graph().size(), false);
  for (; cursor_ < stage().items.size(); ++cursor_) {
    const Item& item = stage().items[cursor_];
    const auto index = static_cast<std::uint32_t>(cursor_);
    if (item.phase == Phase::update) {
      program_.update_items.push_back(index);
      continue;
    }
    const auto* transfer = std::get_if<Transfer>(&item.what);
    ensure(transfer != nullptr && item.phase == Phase::exchange,
           "after backward come exchange and update");
    GradientBucket bucket{transfer->axes, {}, 0, index, kNoPlanItem};
    bucket.elements =
        static_cast<std::int64_t>(transfer->bytes.value) / plan.training.precision.gradient_bytes;
    for (const TrainedLayer& trained : program_.trained) {
      if (taken[trained.layer] || axes_of(trained) != transfer->axes) continue;
      taken[trained.layer] = true;
      bucket.layers.push_back(trained.layer);
      if (trained.layer == transfer->layer) break;
    }
    if (plan.strategy.overlap) bucket.ready_after = stage().needs_of(item).front();
    program_.buckets.push_back(std::move(bucket));
  }
  for (const TrainedLayer& trained : program_.trained) {
    ensure(taken[trained.layer] || axes_of(trained) == 0, "every summed gradient is in a bucket");
  }
}

}  // namespace oracle
