// The backward items of a stage.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/halo.h"
#include "oracle/plan/sharing.h"
#include "validate/program/binder.h"

namespace oracle {

Slot Binder::add_gradients(LayerId producer, Slot sum, Slot term) {
  const std::uint32_t item = next_work(producer, Pass::gradient_sum);
  emit({GradientSum{sum, term}, item, {}});
  return sum;
}

/// The gradients that consumers deliver, those in one layout added before they travel.
Slot Binder::collect_gradient(LayerId producer) {
  Versions parts = std::exchange(gradients_[producer], {});
  const Layout& demanded = pieces_.plan().pieces[producer].gradient_layout;
  Slot sum = kNoSlot;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = parts.size() - 1; j > i; --j) {
      if (parts[j].layout != parts[i].layout) continue;
      parts[i].slot = add_gradients(producer, parts[i].slot, parts[j].slot);
      parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(j));
    }
    const Slot converted = convert(parts[i].slot, parts[i].layout, demanded);
    sum = i == 0 ? converted : add_gradients(producer, sum, converted);
  }
  return sum;
}

void Binder::backward(LayerId id) {
  if (!needs_gradient_[id]) return;
  const Slot gradient = collect_gradient(id);
  if (is_fused_backward(pieces_.graph(), plan(), id)) {
    gradients_[layer(id).inputs.front()].push_back({plan().pieces[id].gradient_layout, gradient});
    return;
  }
  const bool to_inputs = std::any_of(layer(id).inputs.begin(), layer(id).inputs.end(),
                                     [&](LayerId input) { return needs_gradient_[input]; });
  if (to_inputs) backward_data(id, gradient);
  if (layer(id).trainable()) {
    backward_weights(id, gradient, to_inputs);
    train(id);
  }
}

/// What a windowed layer's gradient kernel computes of the first input's gradient: the positions
/// that a window of the output gradients reaches.
Region Binder::reached_input(LayerId id) const {
  Region input = pieces_.input(id, 0, program_.rank);
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (!pieces_.cuts(id, s)) continue;
    const Fit fit = pieces_.fit(id, Pass::backward_data, s, program_.rank);
    input.along[kFirstSpatial + s] = {layer(id).transposed ? fit.narrow : fit.wide};
  }
  return input;
}

std::uint32_t Binder::gradient_kernel(LayerId id, Slot& gradient) {
  if (layer(id).reach != Reach::windowed || returns_gradient(layer(id))) return ran_[id].kernel;
  bool cut = false;
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) cut = cut || pieces_.cuts(id, s);
  if (!cut) return ran_[id].kernel;
  gradient = exchange_halos(gradient, id, Pass::backward_data);
  return add_kernel(id, {reached_input(id).extents()}, region(gradient),
                    local_window(id, Pass::backward_data));
}

Slot Binder::return_halos(LayerId id, Slot computed) {
  const std::vector<std::size_t> axes = pieces_.halo_axes(id, Pass::forward);
  SpatialSet done = 0;
  for (const std::size_t s : axes) done |= 1U << s;
  computed = fitted(computed, pieces_.with_halos(id, Pass::forward, done, program_.rank));
  for (std::size_t i = axes.size(); i-- > 0;) {
    const std::uint32_t item = next_transfer(Collective::halo_exchange, layer(id).inputs.front());
    const SpatialSet less = done & ~(1U << axes[i]);
    const RegionOf held = [&](int r) { return pieces_.with_halos(id, Pass::forward, done, r); };
    const RegionOf then = [&](int r) { return pieces_.with_halos(id, Pass::forward, less, r); };
    const std::vector<int> members =
        pieces_.mesh().group_of(program_.rank, axes_along(pieces_.effects(id), axes[i]));
    computed = emit_move(returning_move(members, program_.rank, held, then), computed,
                         then(program_.rank), item);
    done = less;
  }
  return computed;
}

Slot Binder::owned_gradient(LayerId id, Slot computed) {
  if (returns_gradient(layer(id))) computed = return_halos(id, computed);
  return fitted(computed, pieces_.input(id, 0, program_.rank));
}

void Binder::backward_data(LayerId id, Slot gradient) {
  const Ran& ran = ran_[id];
  LayerRun run{id, Pass::backward_data, 0, ran.inputs, ran.output, gradient, {}, {}};
  run.kernel = gradient_kernel(id, run.output_gradient);
  run.statistics = sum_statistics(id);
  if (!layer(id).keeps_input) run.inputs.assign(run.inputs.size(), kNoSlot);
  if (!layer(id).keeps_output) run.output = kNoSlot;
  const std::uint32_t item = next_work(id, Pass::backward_data);
  const std::size_t inputs = layer(id).inputs.size();
  run.input_gradients.assign(ran.inputs.size(), kNoSlot);
  for (std::size_t i = 0; i < inputs; ++i) {
    const LayerId input = layer(id).inputs[i];
    if (!needs_gradient_[input]) continue;
    Region computed = pieces_.input(id, i, program_.rank);
    if (i == 0 && returns_gradient(layer(id))) computed = region(ran.inputs[0]);
    if (i == 0 && run.kernel != ran.kernel) computed = reached_input(id);
    run.input_gradients[i] = add_slot(input, true, std::move(computed));
  }
  const std::vector<Slot> made = run.input_gradients;
  if (const auto pair =
          shared_gradient(pieces_.graph(), pieces_.plan(), stage(), needs_gradient_, id)) {
    run.shared = {made[0], made[1]};
  }
  emit({std::move(run), item, {}});
  for (std::size_t i = 0; i < inputs; ++i) {
    if (made[i] == kNoSlot) continue;
    const Slot slot = i == 0 ? owned_gradient(id, made[i]) : made[i];
    gradients_[layer(id).inputs[i]].push_back(
        {delivered_gradient(pieces_.graph(), pieces_.assignment(), id, i), slot});
  }
}

void Binder::backward_weights(LayerId id, Slot gradient, bool statistics_done) {
  const Ran& ran = ran_[id];
  LayerRun run{id, Pass::backward_weights, ran.kernel, ran.inputs, ran.output, gradient, {}, {}};
  if (layer(id).batch_statistics && !statistics_done) {
    run.pass = Pass::backward_data;  // which makes the gradients of a batch norm's weights
    run.input_gradients.assign(run.inputs.size(), kNoSlot);
  }
  if (!layer(id).keeps_input) run.inputs.assign(run.inputs.size(), kNoSlot);
  if (!layer(id).keeps_output) run.output = kNoSlot;
  const std::uint32_t item = next_work(id, Pass::backward_weights);
  emit({std::move(run), item, {}});
}

}  // namespace oracle
