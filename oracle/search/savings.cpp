#include "oracle/search/savings.h"

#include <algorithm>

namespace oracle {
namespace {

/// Ranks along these axes hold the same weights.
bool holds_same_weights(const Strategy& strategy) {
  return std::any_of(strategy.mesh.begin(), strategy.mesh.end(), [](const MeshAxis& axis) {
    return axis.cut == Cut::sample || axis.cut == Cut::expert || is_of_positions(axis.cut);
  });
}

}  // namespace

Saving SavingSpace::most() const {
  return {micro_batches.size() - 1, recompute.size() - 1, zero.size() - 1};
}

void SavingSpace::put(const Saving& saving, Strategy& strategy) const {
  strategy.micro_batches = micro_batches[saving.micro_batches];
  strategy.recompute = recompute[saving.recompute];
  strategy.zero = zero[saving.zero];
}

Bytes SavingSpace::least_memory(const Saving& saving) const {
  if (least.empty()) return {};
  const Least& own = least[saving.recompute];
  const auto parts =
      static_cast<double>(std::max<std::int64_t>(1, micro_batches[saving.micro_batches]));
  return own.memory[static_cast<std::size_t>(zero[saving.zero])] - own.kept * (1 - 1 / parts);
}

bool SavingSpace::is_enough(const Saving& less, const Saving& more) const {
  return less.micro_batches <= more.micro_batches && less.recompute <= more.recompute &&
         less.zero == more.zero;
}

SavingSpace savings_of(const Strategy& strategy, std::int64_t batch, const SpaceOptions& options) {
  SavingSpace space{{strategy.micro_batches}, {strategy.recompute}, {strategy.zero}};
  const bool pipeline = strategy.has(Cut::pipeline);
  if (options.most_micro_batches > 1 && !pipeline && strategy.micro_batches == 0) {
    const std::int64_t samples = batch / strategy.replicas();
    const std::int64_t most = std::min(samples, options.most_micro_batches);
    for (std::int64_t count = 2; count <= most && samples % count == 0; count *= 2) {
      space.micro_batches.push_back(count);
    }
    for (const std::int64_t size : {4, 2, 1}) {
      const std::int64_t count = samples / size;
      const bool smaller = count > std::max<std::int64_t>(1, space.micro_batches.back());
      if (samples % size == 0 && smaller && count <= most) space.micro_batches.push_back(count);
    }
  }
  if (strategy.recompute.empty()) {
    space.recompute.insert(space.recompute.end(), options.recompute.begin(),
                           options.recompute.end());
  }
  if (strategy.zero == 0 && holds_same_weights(strategy)) {
    // Gradients and weights in shards would cross the network once for every micro-batch.
    const int most = pipeline ? std::min(options.most_zero, 1) : options.most_zero;
    for (int zero = 1; zero <= most; ++zero) space.zero.push_back(zero);
  }
  return space;
}

}  // namespace oracle
