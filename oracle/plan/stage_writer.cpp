#include "oracle/plan/stage_writer.h"

#include <algorithm>
#include <array>
#include <utility>

#include "oracle/plan/busiest_rows.h"
#include "oracle/plan/item_list.h"
#include "oracle/plan/lifetimes.h"
#include "oracle/plan/promotion.h"
#include "oracle/plan/storage.h"
#include "oracle/plan/token_groups.h"

namespace oracle {
namespace {

constexpr std::int64_t kScoresBytes = 4;

}  // namespace

void StageWriter::start(Stage& stage) {
  stage_ = &stage;
  begin_ = 0;
  const std::size_t layers = stage.last - stage.first;
  stage.items.reserve(8 * layers);
  stage.needs.reserve(12 * layers);
  stage.tensors.reserve(8 * layers);
  stage.operands.reserve(24 * layers);
}

std::uint32_t StageWriter::add_item(Action what, Phase phase, Tensors reads, Tensors writes) {
  return append_item(*stage_, what, phase, begin_, reads, writes);
}

TensorId StageWriter::move(const Transfer& transfer, Phase phase, TensorId from, TensorId to) {
  add_item(transfer, phase, Tensors(&from, 1), Tensors(&to, 1));
  return to;
}

/// Whether the layer that made it may have given it to another input, too.
bool StageWriter::may_be_shared(TensorId gradient) const {
  const std::uint32_t maker = stage_->tensors[gradient].made_by;
  if (maker == kNoItem) return false;
  const auto* work = std::get_if<Work>(&stage_->items[maker].what);
  return work != nullptr && work->pass == Pass::backward_data &&
         may_share_gradient(graph_[work->layer]);
}

TensorId StageWriter::add_gradients(LayerId producer, TensorId sum, TensorId term) {
  if (plan_.pipeline().parts_backward() && may_be_shared(sum)) std::swap(sum, term);
  const std::array<TensorId, 2> terms = {sum, term};
  const TensorId made = add_tensor(producer, Role::activation_gradient, tensor(sum).layout);
  add_item(Work{producer, Pass::gradient_sum}, Phase::backward, terms, Tensors(&made, 1));
  return made;
}

TensorId StageWriter::add_tensor(PlanTensor tensor) {
  const auto id = static_cast<TensorId>(stage_->tensors.size());
  tensor.storage = id;
  stage_->tensors.push_back(tensor);
  return id;
}

TensorId StageWriter::add_tensor(LayerId layer, Role role, const Layout& layout) {
  return add_tensor(layer, role, layout, element_bytes(layer));
}

TensorId StageWriter::add_tensor(LayerId layer, Role role, const Layout& layout, double bytes) {
  PlanTensor tensor{layer, role, layout, layout};
  tensor.bytes = bytes_in(graph_, plan_, layer, layout, bytes);
  return add_tensor(tensor);
}

double StageWriter::element_bytes(LayerId tensor, Carried what) const {
  const Precision& precision = plan_.training.precision;
  return what == Carried::narrow ? precision.narrow.value_bytes()
                                 : value_bytes(graph_, plan_, tensor);
}

bool StageWriter::keeps(LayerId id) const { return keeps_input(graph_[id], plan_.training); }

bool StageWriter::has_wide_scores(LayerId id) const {
  return turns_scores_into_fp32(graph_[id], plan_.training);
}

TensorId StageWriter::add_scores(LayerId id) {
  const Piece& piece = plan_.pieces[id];
  PlanTensor scores{id, Role::scores, piece.input_layout, piece.input_layout};
  scores.bytes = Bytes{static_cast<double>(kScoresBytes * piece.input.elements() * piece.samples)};
  return add_tensor(scores);
}

double StageWriter::mask_bytes(LayerId id) const {
  // Of gelu_new: what its power, its tangent and its last product keep beside the input.
  constexpr double kKeptOfOperations = 3;
  const bool each = runs_each_operation(graph_[id], plan_.training.framework);
  return graph_[id].mask_bytes_per_output + (each ? kKeptOfOperations * element_bytes(id) : 0);
}

TensorId StageWriter::add_mask(LayerId id) {
  const Piece& piece = plan_.pieces[id];
  PlanTensor mask{id, Role::mask, piece.output_layout, piece.output_layout};
  mask.bytes = Bytes{mask_bytes(id) * static_cast<double>(piece.output.elements() * piece.samples)};
  return add_tensor(mask);
}

TensorId StageWriter::unpacked(LayerId id, TensorId gathered, Phase phase) {
  const Layer& layer = graph_[id];
  const Precision& precision = plan_.training.precision;
  if (!layer.frozen || is_narrow(layer, precision)) return gathered;
  const double kept = frozen_bytes(layer, precision), used = precision.used_bytes();
  if (kept >= used) return gathered;
  const auto weights = static_cast<double>(plan_.pieces[id].weights);
  const TensorId from = gathered != kNoTensor ? gathered : add_tensor({id, Role::weight});
  PlanTensor made{id, Role::weight};
  made.reader = id;
  made.bytes = Bytes{weights * used};
  const TensorId whole = add_tensor(made);
  add_item(Work{id, Pass::quantize, Bytes{weights * (kept + used)}}, phase, Tensors(&from, 1),
           Tensors(&whole, 1));
  return whole;
}

/// `id`: whose pass the cast belongs to. A kernel into which it is fused writes the result besides.
TensorId StageWriter::cast(TensorId from, double stored, double wanted, LayerId id, Phase phase) {
  if (stored == wanted) return from;
  const PlanTensor source = tensor(from);
  const TensorId made = add_tensor(source.layer, source.role, source.layout, wanted);
  Bytes streamed = tensor(made).bytes;
  if (!plan_.training.framework.fuses) streamed += source.bytes;
  add_item(Work{id, Pass::quantize, streamed}, phase, Tensors(&from, 1), Tensors(&made, 1));
  return made;
}

TensorId StageWriter::cast_input(TensorId input, LayerId producer, LayerId id, Phase phase) {
  if (plan_.wide.empty()) return input;
  return cast(input, value_bytes(graph_, plan_, producer),
              value_bytes_read(graph_, plan_, producer, id), id, phase);
}

TensorId StageWriter::cast_gradient(TensorId gradient, LayerId producer, LayerId id) {
  if (plan_.wide.empty()) return gradient;
  return cast(gradient, gradient_bytes_made(graph_, plan_, producer, id),
              value_bytes(graph_, plan_, producer), id, Phase::backward);
}

TensorId StageWriter::add_gradient(LayerId producer, const Layout& layout, LayerId id) {
  if (plan_.wide.empty()) return add_tensor(producer, Role::activation_gradient, layout);
  return add_tensor(producer, Role::activation_gradient, layout,
                    gradient_bytes_made(graph_, plan_, producer, id));
}

/// The part of a tensor that is replicated over an axis where it shall be sharded costs nothing;
/// what else is to change does.
TensorId StageWriter::take_part(const Version& from, const Layout& to, double bytes) {
  PlanTensor part = stage_->tensors[from.tensor];
  part.layout = part.target = to;
  part.bytes = bytes_in(graph_, plan_, part.layer, to, bytes);
  part.made_by = kNoItem;
  part.part_of = from.tensor;
  return add_tensor(part);
}

TensorId StageWriter::convert_tensor(LayerId layer, const Version& from, const Layout& to,
                                     Carried what, Phase phase) {
  if (from.layout == to) return from.tensor;
  const bool output = what != Carried::gradient;
  const double bytes = element_bytes(layer, what);
  const Role role = output ? Role::activation : Role::activation_gradient;
  const Payload payload = output ? Payload::activation : Payload::activation_gradient;
  const ConversionList steps =
      convert(from.layout, to, graph_[layer].output, samples_, plan_.degrees, graph_[layer].grain);
  if (steps.empty()) return take_part(from, to, bytes);
  Layout now = from.layout;
  for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
    if (now[a] == State::replicated) now[a] = to[a];
  }
  TensorId last = from.tensor;
  for (const Conversion& step : steps) {
    if (step.collective == Collective::all_to_all && plan_.strategy.token_groups > 0) {
      last = move_rows(layer, step, last, now, to, bytes, phase);
      continue;
    }
    const Layout before = now;
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      if (((step.axes >> a) & 1U) != 0) now[a] = to[a];
    }
    const Transfer transfer{step.collective, step.axes,
                            sent_between(layer, before, now, step.elements, bytes), payload, layer};
    const TensorId made = add_tensor(layer, role, now, bytes);
    stage_->tensors[made].target = to;
    last = move(transfer, phase, last, made);
  }
  return last;
}

/// `elements`: where rows are spread evenly.
Bytes StageWriter::sent_between(LayerId layer, const Layout& before, const Layout& after,
                                std::int64_t elements, double bytes) const {
  const RowsHeld rows = rows_moved(graph_, plan_.strategy, plan_.degrees, layer, before, after);
  return Bytes{bytes * rows.of(static_cast<double>(elements))};
}

/// By hops; what a token takes once for several rows is a part of them.
TensorId StageWriter::move_rows(LayerId layer, const Conversion& step, TensorId from, Layout& now,
                                const Layout& to, double bytes, Phase phase) {
  const PlanTensor rows = stage_->tensors[from];
  const Payload payload =
      rows.role == Role::activation ? Payload::activation : Payload::activation_gradient;
  for (const RowHop& hop :
       row_hops(graph_, layer, now, step.axes, plan_.degrees, plan_.strategy.token_groups)) {
    if (hop.axes == 0) continue;
    const Layout before = now;
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      if (((hop.axes >> a) & 1U) != 0) now[a] = to[a];
    }
    const Bytes sent = sent_between(layer, before, now, step.elements, bytes) * hop.share;
    const TensorId made = add_tensor(layer, rows.role, now, bytes);
    stage_->tensors[made].target = to;
    const bool is_last = now == to;
    if (!is_last) stage_->tensors[made].bytes = stage_->tensors[made].bytes * hop.share;
    from = move({Collective::all_to_all, hop.axes, sent, payload, layer}, phase, from, made);
  }
  return from;
}

TensorId StageWriter::add_haloed(PlanTensor tensor, LayerId reader, std::uint8_t halos,
                                 const Shape& extents) {
  tensor.halos = halos;
  tensor.reader = reader;
  tensor.made_by = kNoItem;
  tensor.part_of = kNoTensor;
  Shape stored = extents;
  if (tensor.layer != 0) {
    stored[Axis::channel] = stored_channels(extents.channels(), extents, plan_.channel_block);
  }
  tensor.bytes = Bytes{element_bytes(tensor.layer) *
                       static_cast<double>(stored.elements() * plan_.pieces[reader].samples)};
  return add_tensor(tensor);
}

TensorId StageWriter::exchange_halos(TensorId tensor, LayerId layer, HaloOf halo,
                                     const Shape& extents, Phase phase) {
  const Effects& effects = plan_.assignment.effects[layer];
  const bool is_cut = std::any_of(effects.begin(), effects.end(), [](const CutEffect& effect) {
    return spatial_axis_of(effect.input) >= 0;
  });
  if (graph_[layer].reach != Reach::windowed || !is_cut) return tensor;
  const LayerId of = stage_->tensors[tensor].layer;
  for (const HaloStep& step :
       halo_steps(of, layer, halos_by(layer, halo), &Halo::sent, extents, phase)) {
    tensor = move(step.transfer, phase, tensor,
                  add_haloed(stage_->tensors[tensor], layer, step.with, step.after));
  }
  return tensor;
}

TensorId StageWriter::return_halos(TensorId tensor, LayerId layer) {
  const auto steps = halo_steps(stage_->tensors[tensor].layer, layer, halos_by(layer, forward_halo),
                                &Halo::returned, plan_.pieces[layer].input, Phase::backward);
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    tensor = move(step->transfer, Phase::backward, tensor,
                  add_haloed(stage_->tensors[tensor], layer, step->without, step->before));
  }
  return tensor;
}

/// `planes`: those of a halo that travel.
std::span<const HaloStep> StageWriter::halo_steps(LayerId tensor, LayerId layer, const Halos& halos,
                                                  std::int64_t Halo::*planes, const Shape& extents,
                                                  Phase phase) {
  list_halo_steps(graph_, plan_, tensor, layer, halos, planes, extents, phase, halo_steps_);
  return {halo_steps_.begin(), halo_steps_.end()};
}

TensorId StageWriter::add_with_all_halos(LayerId input, const Layout& layout, LayerId id) {
  const auto steps = halo_steps(input, id, halos_by(id, forward_halo), &Halo::returned,
                                plan_.pieces[id].input, Phase::backward);
  if (steps.empty()) return add_tensor(input, Role::activation_gradient, layout);
  return add_haloed({input, Role::activation_gradient, layout, layout}, id, steps.back().with,
                    steps.back().after);
}

}  // namespace oracle
