#include "oracle/plan/emit.h"

#include <algorithm>
#include <array>
#include <span>

#include "oracle/graph/kinds/kind.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/exchange.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/halo_steps.h"
#include "oracle/plan/item_list.h"
#include "oracle/plan/lifetimes.h"
#include "oracle/plan/storage.h"
#include "oracle/plan/versions.h"

namespace oracle {
namespace {

constexpr double kStatisticsBytes = 4;  // batch norm keeps its statistics in fp32

bool is_loss(const Layer& layer) { return layer.kind != nullptr && layer.kind->is_loss; }

/// Writes the items of one stage after the other.
class Emitter {
 public:
  Emitter(const Graph& graph, const Plan& plan)
      : graph_(graph),
        plan_(plan),
        samples_(plan.micro_batch_samples()),
        needs_gradient_(needs_gradient(graph)),
        outputs_(graph.size()),
        gradients_(graph.size()),
        forward_item_(graph.size(), kNoItem),
        mask_(graph.size(), kNoTensor),
        collected_(graph.size(), kNoTensor),
        buckets_(Bytes{}) {}

  /// `before`: the stage whose messages come in, or null.
  void run(Stage& stage, const Stage* before) {
    stage_ = &stage;
    begin_ = 0;
    outputs_.clear();
    gradients_.clear();
    const std::size_t layers = stage.last - stage.first;
    stage.items.reserve(8 * layers);
    stage.needs.reserve(12 * layers);
    stage.tensors.reserve(8 * layers);
    stage.operands.reserve(24 * layers);
    if (before != nullptr) receive(*before);
    const LayerId first = std::max<LayerId>(stage.first, 1);
    for (LayerId id = first; id < stage.last; ++id) forward(id);
    begin_ = stage.backward_begin = static_cast<std::uint32_t>(stage.items.size());
    messages();
    for (LayerId id = stage.last; id-- > first;) backward(id);
    for (LayerId id = 1; id < stage.first; ++id) collected_[id] = collect_gradient(id);
    if (before != nullptr) {
      for (const Transfer& message : before->from_next) {
        stage.sent_back.push_back(collected_[message.layer]);
      }
    }
    end_backward();
    share_storage(graph_, plan_, stage, needs_gradient_);
    emit_exchange(plan_.strategy, stage, buckets_);
  }

 private:
  using Tensors = std::span<const TensorId>;

  std::uint32_t add_item(std::variant<Work, Transfer> what, Phase phase, Tensors reads,
                         Tensors writes) {
    return append_item(*stage_, what, phase, begin_, reads, writes);
  }

  /// A transfer of `from`, or of what belongs to it, to `to`.
  TensorId move(const Transfer& transfer, Phase phase, TensorId from, TensorId to) {
    add_item(transfer, phase, Tensors(&from, 1), Tensors(&to, 1));
    return to;
  }

  TensorId add_tensor(PlanTensor tensor) {
    const auto id = static_cast<TensorId>(stage_->tensors.size());
    tensor.storage = id;
    stage_->tensors.push_back(tensor);
    return id;
  }

  TensorId add_tensor(LayerId layer, Role role, const Layout& layout) {
    PlanTensor tensor{layer, role, layout, layout};
    tensor.bytes = bytes_in(graph_, plan_, layer, layout);
    return add_tensor(tensor);
  }

  double element_bytes(LayerId tensor) const {
    return value_bytes(graph_, tensor, plan_.training.precision);
  }

  /// The part of a tensor that is replicated over an axis where it shall be sharded costs nothing;
  /// what else is to change does.
  TensorId take_part(const Version& from, const Layout& to) {
    PlanTensor part = stage_->tensors[from.tensor];
    part.layout = part.target = to;
    part.bytes = bytes_in(graph_, plan_, part.layer, to);
    part.made_by = kNoItem;
    part.part_of = from.tensor;
    return add_tensor(part);
  }

  /// Emits what turns `from` into `to`; returns the tensor that it is then.
  TensorId convert_tensor(LayerId layer, const Version& from, const Layout& to, Phase phase) {
    if (from.layout == to) return from.tensor;
    const Role role = phase == Phase::forward ? Role::activation : Role::activation_gradient;
    const Payload payload =
        phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
    const ConversionList steps = convert(from.layout, to, graph_[layer].output, samples_,
                                         plan_.degrees, graph_[layer].grain);
    if (steps.empty()) return take_part(from, to);
    Layout now = from.layout;
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      if (now[a] == State::replicated) now[a] = to[a];
    }
    TensorId last = from.tensor;
    for (const Conversion& step : steps) {
      for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
        if (((step.axes >> a) & 1U) != 0) now[a] = to[a];
      }
      const Transfer transfer{step.collective, step.axes,
                              Bytes{element_bytes(layer) * static_cast<double>(step.elements)},
                              payload, layer};
      const TensorId made = add_tensor(layer, role, now);
      stage_->tensors[made].target = to;
      last = move(transfer, phase, last, made);
    }
    return last;
  }

  /// The output of `producer` in `layout`: as delivered, already converted, or converted now.
  TensorId output_in(LayerId producer, const Layout& layout) {
    if (outputs_.empty(producer)) {
      const Layout& delivered = plan_.pieces[producer].output_layout;
      outputs_.add(producer, {delivered, add_tensor(producer, Role::activation, delivered)});
    }
    const Version* made =
        outputs_.find(producer, [&](const Version& version) { return version.layout == layout; });
    if (made != nullptr) return made->tensor;
    const Version own = *outputs_.find(producer, [](const Version&) { return true; });
    const TensorId tensor = convert_tensor(producer, own, layout, Phase::forward);
    outputs_.add(producer, {layout, tensor});
    return tensor;
  }

  /// `tensor` as `reader` reads or makes it, with the planes along `halos` beside a rank's part.
  TensorId add_haloed(PlanTensor tensor, LayerId reader, std::uint8_t halos, const Shape& extents) {
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

  /// One exchange per cut spatial axis; a later axis also sends the corners an earlier one brought.
  TensorId exchange_halos(TensorId tensor, LayerId layer, const Halos& halos, const Shape& extents,
                          Phase phase) {
    const LayerId of = stage_->tensors[tensor].layer;
    for (const HaloStep& step : halo_steps(of, layer, halos, &Halo::sent, extents, phase)) {
      tensor = move(step.transfer, phase, tensor,
                    add_haloed(stage_->tensors[tensor], layer, step.with, step.after));
    }
    return tensor;
  }

  /// The way back of the gradients computed for halos: the last axis first.
  TensorId return_halos(TensorId tensor, LayerId layer) {
    const auto steps =
        halo_steps(stage_->tensors[tensor].layer, layer, halos_by(layer, forward_halo),
                   &Halo::returned, plan_.pieces[layer].input, Phase::backward);
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
      tensor = move(step->transfer, Phase::backward, tensor,
                    add_haloed(stage_->tensors[tensor], layer, step->without, step->before));
    }
    return tensor;
  }

  /// `planes`: those of a halo that travel.
  std::span<const HaloStep> halo_steps(LayerId tensor, LayerId layer, const Halos& halos,
                                       std::int64_t Halo::*planes, const Shape& extents,
                                       Phase phase) {
    halo_steps_ = oracle::halo_steps(graph_, plan_, tensor, layer, halos, planes, extents, phase);
    return {halo_steps_.begin(), halo_steps_.end()};
  }

  Halos halos_by(LayerId id, Halo (*halo)(const Layer&, std::size_t, std::int64_t)) const {
    return halos_of(graph_[id], plan_.assignment.effects[id], plan_.degrees, halo);
  }

  /// The statistics of a layer's batch, summed from a tensor that is there; none where each rank
  /// has its own.
  void read_statistics(LayerId id, Phase phase, TensorId from) {
    const Layer& layer = graph_[id];
    const AxisSet axes =
        statistics_axes(layer, plan_.assignment.effects[id], plan_.strategy.batch_norm);
    if (axes == 0) return;
    const double share = static_cast<double>(plan_.pieces[id].output.channels()) /
                         static_cast<double>(layer.output.channels());
    const Transfer transfer{Collective::all_reduce, axes,
                            Bytes{kStatisticsBytes * static_cast<double>(layer.statistics) * share},
                            Payload::statistics, id};
    reads_.push_back(move(transfer, phase, from, add_tensor({id, Role::statistics})));
  }

  /// A layer's output as it is delivered.
  TensorId made_by(LayerId id) const {
    return outputs_.find(id, [](const Version&) { return true; })->tensor;
  }

  void forward(LayerId id) {
    const Layer& layer = graph_[id];
    const Layout& delivered = plan_.pieces[id].output_layout;
    if (plan_.is_fused(id)) {
      outputs_.add(id, {delivered, made_by(layer.inputs.front())});
      return;
    }
    reads_.clear();
    inputs_.clear();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      TensorId input = output_in(layer.inputs[i], demanded_input(graph_, plan_.assignment, id, i));
      if (i == 0) {
        input = exchange_halos(input, id, halos_by(id, forward_halo), plan_.pieces[id].input,
                               Phase::forward);
        read_statistics(id, Phase::forward, input);
      }
      inputs_.push_back(input);
    }
    reads_.insert(reads_.begin(), inputs_.begin(), inputs_.end());
    writes_.clear();
    writes_.push_back(add_tensor(computes_up_to(graph_, plan_, id), Role::activation, delivered));
    outputs_.add(id, {delivered, writes_.front()});
    if (layer.mask_bytes_per_output > 0) writes_.push_back(mask_[id] = add_mask(id));
    forward_item_[id] = add_item(Work{id, Pass::forward}, Phase::forward, reads_, writes_);
  }

  TensorId add_mask(LayerId id) {
    const Piece& piece = plan_.pieces[id];
    PlanTensor mask{id, Role::mask, piece.output_layout, piece.output_layout};
    mask.bytes = Bytes{graph_[id].mask_bytes_per_output *
                       static_cast<double>(piece.output.elements() * piece.samples)};
    return add_tensor(mask);
  }

  /// Adds up the gradients that the consumers in this stage deliver and converts the sum to what
  /// the producer's backward demands. Gradients in one layout are added before they travel.
  TensorId collect_gradient(LayerId producer) {
    gradients_.take(producer, parts_);
    const Layout& demanded = plan_.pieces[producer].gradient_layout;
    TensorId sum = kNoTensor;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Version part = parts_[i];
      for (std::size_t j = parts_.size() - 1; j > i; --j) {
        if (parts_[j].layout != part.layout) continue;
        part.tensor = add_gradients(producer, part.tensor, parts_[j].tensor);
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(j));
      }
      const TensorId converted = convert_tensor(producer, part, demanded, Phase::backward);
      sum = i == 0 ? converted : add_gradients(producer, sum, converted);
    }
    return sum;
  }

  TensorId add_gradients(LayerId producer, TensorId sum, TensorId term) {
    const std::array<TensorId, 2> terms = {sum, term};
    const TensorId made =
        add_tensor(producer, Role::activation_gradient, stage_->tensors[sum].layout);
    add_item(Work{producer, Pass::gradient_sum}, Phase::backward, terms, Tensors(&made, 1));
    return made;
  }

  /// Lets a pass of backward read the gradient of its output, if there is one, and what forward
  /// kept for it.
  void read_kept(LayerId id, TensorId gradient) {
    reads_.clear();
    if (gradient != kNoTensor) reads_.push_back(gradient);
    const Layer& layer = graph_[id];
    if (layer.keeps_input && forward_item_[id] != kNoItem) {
      const Tensors inputs = stage_->reads_of(stage_->items[forward_item_[id]]);
      reads_.insert(reads_.end(), inputs.begin(),
                    inputs.begin() + static_cast<std::ptrdiff_t>(layer.inputs.size()));
    }
    if (keeps_output(graph_, plan_, id)) reads_.push_back(made_by(id));
    if (mask_[id] != kNoTensor) reads_.push_back(mask_[id]);
  }

  void backward(LayerId id) {
    if (!needs_gradient_[id]) return;
    const Layer& layer = graph_[id];
    TensorId gradient = collect_gradient(id);
    // Of a layer that no other reads it comes from outside; a loss begins backward itself.
    if (gradient == kNoTensor && !is_loss(layer)) {
      gradient = add_tensor(id, Role::activation_gradient, plan_.pieces[id].gradient_layout);
    }
    if (is_fused_backward(graph_, plan_, id)) {
      gradients_.add(layer.inputs.front(), {plan_.pieces[id].gradient_layout, gradient});
      return;
    }
    const bool to_inputs = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                       [&](LayerId input) { return needs_gradient_[input]; });
    if (to_inputs) backward_data(id, gradient);
    if (layer.trainable()) backward_weights(id, gradient);
  }

  void backward_data(LayerId id, TensorId gradient) {
    const Layer& layer = graph_[id];
    const bool returns = returns_gradient(layer);
    if (!returns && gradient != kNoTensor) {
      gradient = exchange_halos(gradient, id, halos_by(id, backward_halo), plan_.pieces[id].output,
                                Phase::backward);
    }
    read_kept(id, gradient);
    read_statistics(id, Phase::backward, gradient);
    writes_.clear();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const LayerId input = layer.inputs[i];
      if (!needs_gradient_[input]) continue;
      const Layout delivered = delivered_gradient(graph_, plan_.assignment, id, i);
      writes_.push_back(i == 0 && returns
                            ? add_with_all_halos(input, delivered, id)
                            : add_tensor(input, Role::activation_gradient, delivered));
    }
    add_item(Work{id, Pass::backward_data}, Phase::backward, reads_, writes_);
    auto written = writes_.begin();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const LayerId input = layer.inputs[i];
      if (!needs_gradient_[input]) continue;
      TensorId made = *written++;
      if (i == 0 && returns) made = return_halos(made, id);
      gradients_.add(input, {delivered_gradient(graph_, plan_.assignment, id, i), made});
    }
  }

  /// The gradient as the owner of a window makes it: with what belongs to neighbours.
  TensorId add_with_all_halos(LayerId input, const Layout& layout, LayerId id) {
    const auto steps = halo_steps(input, id, halos_by(id, forward_halo), &Halo::returned,
                                  plan_.pieces[id].input, Phase::backward);
    if (steps.empty()) return add_tensor(input, Role::activation_gradient, layout);
    return add_haloed({input, Role::activation_gradient, layout, layout}, id, steps.back().with,
                      steps.back().after);
  }

  void backward_weights(LayerId id, TensorId gradient) {
    read_kept(id, gradient);
    PlanTensor weights{id, Role::weight_gradient};
    weights.bytes = Bytes{plan_.training.precision.gradient_bytes *
                          static_cast<double>(plan_.pieces[id].owned())};
    const TensorId made = add_tensor(weights);
    const std::uint32_t item =
        add_item(Work{id, Pass::backward_weights}, Phase::backward, reads_, Tensors(&made, 1));
    // What it adds to an earlier layer's gradient is complete once that layer has added its own.
    if (plan_.pieces[id].owned() == 0) return;
    stage_->backward_end.gradients.push_back(
        {gradient_axes(plan_.assignment.effects[id]), weights.bytes, id, item, made});
  }

  /// Work and transfers run on streams of their own, so backward is over when the last of both is.
  template <typename What>
  std::uint32_t last_of_backward() const {
    for (std::size_t i = stage_->items.size(); i-- > stage_->backward_begin;) {
      if (std::holds_alternative<What>(stage_->items[i].what)) return static_cast<std::uint32_t>(i);
    }
    return kNoItem;
  }

  void end_backward() {
    BackwardEnd& end = stage_->backward_end;
    end.items = static_cast<std::uint32_t>(stage_->items.size());
    end.needs = static_cast<std::uint32_t>(stage_->needs.size());
    end.last_work = last_of_backward<Work>();
    end.last_transfer = last_of_backward<Transfer>();
    list_gradients(end);
  }

  /// Gradients that are summed over the same axes stand together, so that a bucket is a range.
  void list_gradients(BackwardEnd& end) {
    std::vector<TensorId>& operands = stage_->operands;
    end.all.first = static_cast<std::uint32_t>(operands.size());
    std::vector<bool> listed(end.gradients.size(), false);
    for (std::size_t i = 0; i < listed.size(); ++i) {
      for (std::size_t j = listed[i] ? listed.size() : i; j < listed.size(); ++j) {
        Gradient& gradient = end.gradients[j];
        if (listed[j] || gradient.axes != end.gradients[i].axes) continue;
        listed[j] = true;
        operands.push_back(gradient.operand);
        gradient.operand = static_cast<std::uint32_t>(operands.size() - 1);
      }
    }
    end.all.count = static_cast<std::uint32_t>(operands.size()) - end.all.first;
  }

  void receive(const Stage& before) {
    for (const Transfer& message : before.to_next) {
      const Layout& layout = plan_.pieces[message.layer].output_layout;
      stage_->received.push_back(add_tensor(message.layer, Role::activation, layout));
      outputs_.add(message.layer, {layout, stage_->received.back()});
    }
  }

  /// Every tensor made up to here and read later crosses to the next stage; its gradient comes back
  /// as the first part of the sum.
  void messages() {
    if (stage_->last == graph_.size()) return;
    for (LayerId id = 1; id < stage_->last; ++id) {
      if (graph_.consumers[id].back() < stage_->last) continue;
      stage_->to_next.push_back(message_of(graph_, plan_, id, Payload::activation));
      stage_->sent.push_back(made_by(id));
      if (!needs_gradient_[id]) continue;
      const Layout& layout = plan_.pieces[id].gradient_layout;
      stage_->from_next.push_back(message_of(graph_, plan_, id, Payload::activation_gradient));
      stage_->returned.push_back(add_tensor(id, Role::activation_gradient, layout));
      gradients_.add(id, {layout, stage_->returned.back()});
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  std::int64_t samples_;
  Stage* stage_ = nullptr;   ///< the one being written
  std::uint32_t begin_ = 0;  ///< first item of forward, or of backward
  std::vector<bool> needs_gradient_;
  Versions outputs_;    ///< of each layer, in the layouts made so far
  Versions gradients_;  ///< of each layer's output, as its consumers deliver them
  std::vector<std::uint32_t> forward_item_;        ///< by layer
  std::vector<TensorId> mask_, collected_;         ///< by layer
  std::vector<TensorId> inputs_, reads_, writes_;  ///< of the item being written
  HaloSteps halo_steps_;                           ///< of the layer being written
  std::vector<Version> parts_;                     ///< of the gradient being collected
  Buckets buckets_;
};

}  // namespace

Transfer message_of(const Graph& graph, const Plan& plan, LayerId layer, Payload payload) {
  const Piece& piece = plan.pieces[layer];
  const Layout& layout =
      payload == Payload::activation ? piece.output_layout : piece.gradient_layout;
  const std::int64_t elements = local_elements(graph[layer].output, plan.micro_batch_samples(),
                                               layout, plan.degrees, graph[layer].grain);
  const double each = value_bytes(graph, layer, plan.training.precision);
  return {Collective::send_receive, plan.pipeline_axes, Bytes{each * static_cast<double>(elements)},
          payload, layer};
}

std::vector<bool> needs_gradient(const Graph& graph) {
  std::vector<bool> needs(graph.size(), false);
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    needs[id] = layer.trainable() || std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                                 [&](LayerId input) { return needs[input]; });
  }
  return needs;
}

void emit_stages(const Graph& graph, Plan& plan) {
  Emitter emitter(graph, plan);
  const Stage* before = nullptr;
  for (Stage& stage : plan.stages) {
    emitter.run(stage, before);
    before = &stage;
  }
}

}  // namespace oracle
