// The forward items of a stage, and what crosses to and from its neighbours.

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/fusion.h"
#include "validate/program/binder.h"

namespace oracle {

/// As delivered, already converted, or converted now.
Slot Binder::output_in(LayerId producer, const Layout& layout) {
  const Layout& own = pieces_.plan().pieces[producer].output_layout;
  Versions& made = outputs_[producer];
  if (made.empty()) {
    ensure(producer == 0, "an earlier stage's tensor was received");
    const Slot slot = add_slot(0, false, pieces_.output(0, program_.rank));
    emit({Load{slot, false}, kNoPlanItem, {}});
    made.push_back({own, slot});
  }
  for (const Version& version : made) {
    if (version.layout == layout) return version.slot;
  }
  const Slot slot = convert(made.front().slot, own, layout);
  made.push_back({layout, slot});
  return slot;
}

/// One class index per position, or as many values as the layer reads.
Slot Binder::load_targets(LayerId id) {
  Region targets = pieces_.input(id, 0, program_.rank);
  if (layer(id).kind->name == "softmax_loss") {
    targets.along[static_cast<std::size_t>(Axis::channel)] = {{0, 1}};
  }
  const Slot slot = add_slot(id, false, std::move(targets));
  program_.slots[slot].fp32 = true;
  emit({Load{slot, true}, kNoPlanItem, {}});
  return slot;
}

/// Mesh axes whose ranks compute the same output.
AxisSet Binder::repeating_axes(LayerId id) const {
  const Plan& plan = pieces_.plan();
  AxisSet axes = 0;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    if (plan.pieces[id].output_layout[a] == State::replicated) axes |= AxisSet{1} << a;
  }
  return axes & ~plan.pipeline_axes;
}

/// The kernel of the layer that it reads left this one's output; only backward may have a kernel of
/// its own.
void Binder::fused_forward(LayerId id) {
  Ran& ran = ran_[id];
  ran.output = ran_[layer(id).inputs.front()].output;
  ran.inputs = {ran.output};
  const Region& made = region(ran.output);
  ensure(made == pieces_.output(id, program_.rank), "fused layers make one piece");
  if (!is_fused_backward(pieces_.graph(), plan(), id)) {
    ran.kernel = add_kernel(id, {made.extents()}, made, local_window(id, Pass::forward));
  }
  outputs_[id].push_back({plan().pieces[id].output_layout, ran.output});
}

void Binder::forward(LayerId id) {
  if (plan().is_fused(id)) return fused_forward(id);
  Ran& ran = ran_[id];
  StatisticsSum statistics;
  for (std::size_t i = 0; i < layer(id).inputs.size(); ++i) {
    const Layout demanded = demanded_input(pieces_.graph(), pieces_.assignment(), id, i);
    Slot slot = output_in(layer(id).inputs[i], demanded);
    if (i == 0) {
      slot = exchange_halos(slot, id, Pass::forward);
      statistics = sum_statistics(id);
    }
    ran.inputs.push_back(slot);
  }
  if (layer(id).kind->is_loss) {
    ran.inputs.push_back(load_targets(id));
    program_.loss = id;
    program_.reports_loss = pieces_.mesh().number(program_.rank, repeating_axes(id)) == 0;
  }
  std::vector<Extents> extents;
  for (const Slot slot : ran.inputs) extents.push_back(region(slot).extents());
  const LayerId last = computes_up_to(pieces_.graph(), plan(), id);
  ran.output = add_slot(last, false, pieces_.output(id, program_.rank));
  if (layer(id).kind->is_loss) program_.slots[ran.output].fp32 = true;
  ran.kernel =
      add_kernel(id, std::move(extents), region(ran.output), local_window(id, Pass::forward));
  if (last != id) {
    LocalLayer& local = program_.kernels[ran.kernel].layer;
    local.then = &layer(last);
    local.then_backward = is_fused_backward(pieces_.graph(), plan(), last);
  }
  outputs_[id].push_back({pieces_.plan().pieces[id].output_layout, ran.output});
  LayerRun run{id, Pass::forward, ran.kernel, ran.inputs, ran.output, kNoSlot, {}, statistics};
  const std::uint32_t item = next_work(id, Pass::forward);
  emit({std::move(run), item, {}});
}

void Binder::receive(std::span<const Transfer> messages, std::size_t from_stage, bool gradient) {
  const Plan& plan = pieces_.plan();
  if (from_stage >= plan.stages.size()) return;
  const int peer = pieces_.mesh().neighbour(program_.rank, plan.pipeline_axes,
                                            static_cast<std::int64_t>(from_stage));
  for (const Transfer& message : messages) {
    const LayerId id = message.layer;
    const Layout& layout =
        gradient ? plan.pieces[id].gradient_layout : plan.pieces[id].output_layout;
    const Slot slot = add_slot(id, gradient, pieces_.in_layout(id, layout, program_.rank));
    Move move;
    move.collective = Collective::send_receive;
    move.to = slot;
    move.take = {{peer, boxes_in(region(slot), region(slot)), region(slot).elements()}};
    emit({std::move(move), kNoPlanItem, {}});
    (gradient ? gradients_ : outputs_)[id].push_back({layout, slot});
  }
}

void Binder::send(std::span<const Transfer> messages, std::size_t to_stage, bool gradient) {
  const Plan& plan = pieces_.plan();
  if (to_stage >= plan.stages.size()) return;
  const int peer = pieces_.mesh().neighbour(program_.rank, plan.pipeline_axes,
                                            static_cast<std::int64_t>(to_stage));
  for (const Transfer& message : messages) {
    Move move;
    move.collective = Collective::send_receive;
    move.from = gradient ? collected_[message.layer] : outputs_[message.layer].front().slot;
    ensure(move.from != kNoSlot, "what a stage sends was made");
    move.give = {
        {peer, boxes_in(region(move.from), region(move.from)), region(move.from).elements()}};
    emit({std::move(move), next_message_++, {}});
  }
}

}  // namespace oracle
