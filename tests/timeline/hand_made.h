#pragma once
// Stages and prices written by hand, for tests of what runs when.

#include <initializer_list>
#include <vector>

#include "oracle/plan/item_list.h"
#include "oracle/timeline/stage_run.h"

namespace oracle {

/// A stage with a price for each item. Work is on layer 0; needs are indices of earlier items.
class HandMade {
 public:
  std::uint32_t work(Phase phase, double seconds, std::initializer_list<std::uint32_t> needs = {}) {
    const Pass pass = phase == Phase::forward ? Pass::forward : Pass::backward_data;
    return add(Work{0, pass}, phase, seconds, needs);
  }
  std::uint32_t transfer(Phase phase, double seconds,
                         std::initializer_list<std::uint32_t> needs = {}) {
    return add(Transfer{Collective::all_reduce, 1, Bytes{1}, Payload::activation, 0}, phase,
               seconds, needs);
  }
  /// A step of an exchange that the rank itself computes.
  std::uint32_t compression(double seconds, std::initializer_list<std::uint32_t> needs) {
    const std::uint32_t step = add(Compression{}, Phase::exchange, seconds, needs);
    copies(step, seconds);
    return step;
  }
  /// All transfers cross the same links.
  void one_link() {
    for (const Item& item : stage.items) {
      prices.levels.push_back(std::holds_alternative<Transfer>(item.what) ? 1 : 0);
    }
  }
  /// So much of a transfer's time the rank itself copies.
  void copies(std::uint32_t transfer, double seconds) {
    prices.copied.resize(stage.items.size());
    prices.copied[transfer] = Seconds{seconds};
  }
  void backward_begins() { stage.backward_begin = static_cast<std::uint32_t>(stage.items.size()); }

  StageRun run(const Overlap& overlap = {}) const {
    return run_items(stage, prices, 0, static_cast<std::uint32_t>(stage.items.size()), overlap);
  }

  Stage stage;
  StagePrices prices;

 private:
  std::uint32_t add(Action what, Phase phase, double seconds,
                    std::initializer_list<std::uint32_t> needs) {
    prices.items.push_back({Seconds{seconds}, Source::assumed, 0.1});
    return append_item(stage, what, phase, std::span(needs.begin(), needs.size()));
  }
};

}  // namespace oracle
