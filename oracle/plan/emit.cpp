#include "oracle/plan/emit.h"

#include <algorithm>

#include "oracle/plan/exchange.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/item_list.h"
#include "oracle/plan/versions.h"

namespace oracle {
namespace {

constexpr double kStatisticsBytes = 4;  // batch norm keeps its statistics in fp32

/// Halo planes of a layer's input or output gradient over each spatial axis.

/// Writes the items of one stage after the other.
class Emitter {
 public:
  Emitter(const Graph& graph, const Plan& plan, const Assignment& assignment)
      : graph_(graph),
        plan_(plan),
        assignment_(assignment),
        samples_(plan.micro_batch_samples()),
        needs_gradient_(needs_gradient(graph)),
        outputs_(graph.size()),
        gradients_(graph.size()),
        buckets_(Bytes{}) {}

  void run(Stage& stage) {
    stage_ = &stage;
    outputs_.clear();
    gradients_.clear();
    const std::size_t layers = stage.last - stage.first;
    stage.items.reserve(8 * layers);
    stage.needs.reserve(12 * layers);
    const LayerId first = std::max<LayerId>(stage.first, 1);
    for (LayerId id = first; id < stage.last; ++id) forward(id);
    stage.backward_begin = static_cast<std::uint32_t>(stage.items.size());
    messages();
    for (LayerId id = stage.last; id-- > first;) backward(id);
    for (LayerId id = 1; id < stage.first; ++id) collect_gradient(id);
    end_backward();
    emit_exchange(plan_.strategy, stage, buckets_);
  }

 private:
  std::uint32_t add_item(std::variant<Work, Transfer> what, Phase phase,
                         std::span<const std::uint32_t> needs) {
    return append_item(*stage_, what, phase, needs);
  }
  std::uint32_t add_item(std::variant<Work, Transfer> what, Phase phase,
                         std::initializer_list<std::uint32_t> needs) {
    return add_item(what, phase, std::span(needs.begin(), needs.size()));
  }

  double element_bytes(LayerId tensor) const {
    return value_bytes(graph_, tensor, plan_.training.precision);
  }

  /// Emits what turns `from` into `to`; returns the item after which the tensor is there.
  std::uint32_t convert_tensor(LayerId tensor, const Version& from, const Layout& to, Phase phase) {
    const Payload payload =
        phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
    std::uint32_t last = from.item;
    for (const Conversion& step : convert(from.layout, to, graph_[tensor].output, samples_,
                                          plan_.degrees, graph_[tensor].grain)) {
      const Transfer transfer{step.collective, step.axes,
                              Bytes{element_bytes(tensor) * static_cast<double>(step.elements)},
                              payload, tensor};
      last = add_item(transfer, phase, {last});
    }
    return last;
  }

  /// The output of `producer` in `layout`: as delivered, already converted, or converted now.
  std::uint32_t output_in(LayerId producer, const Layout& layout) {
    if (outputs_.empty(producer)) {
      outputs_.add(producer, {plan_.pieces[producer].output_layout, kNoItem});
    }
    const Version* made =
        outputs_.find(producer, [&](const Version& version) { return version.layout == layout; });
    if (made != nullptr) return made->item;
    const Version own = *outputs_.find(producer, [](const Version&) { return true; });
    const std::uint32_t item = convert_tensor(producer, own, layout, Phase::forward);
    outputs_.add(producer, {layout, item});
    return item;
  }

  /// One exchange per cut spatial axis; a later axis also sends the corners an earlier one brought.
  std::uint32_t exchange_halos(LayerId tensor, LayerId layer, const Halos& halos,
                               const Shape& extents, Phase phase, std::uint32_t after) {
    for (const Transfer& transfer :
         halo_transfers(tensor, layer, halos, &Halo::sent, extents, phase)) {
      after = add_item(transfer, phase, {after});
    }
    return after;
  }

  /// The way back of the gradients computed for halos: the last axis first.
  std::uint32_t return_halos(LayerId tensor, LayerId layer, std::uint32_t after) {
    const std::vector<Transfer>& transfers =
        halo_transfers(tensor, layer, halos_by(layer, forward_halo), &Halo::returned,
                       plan_.pieces[layer].input, Phase::backward);
    for (auto transfer = transfers.rbegin(); transfer != transfers.rend(); ++transfer) {
      after = add_item(*transfer, Phase::backward, {after});
    }
    return after;
  }

  /// `planes`: those of a halo that travel.
  const std::vector<Transfer>& halo_transfers(LayerId tensor, LayerId layer, const Halos& halos,
                                              std::int64_t Halo::*planes, Shape extents,
                                              Phase phase) {
    halo_transfers_.clear();
    std::array<bool, 3> sent{};
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      const int axis = spatial_axis_of(assignment_.effects[layer][a].input);
      if (axis < 0 || sent[static_cast<std::size_t>(axis)]) continue;
      sent[static_cast<std::size_t>(axis)] = true;
      const Halo& halo = halos[static_cast<std::size_t>(axis)];
      if (halo.sent == 0) continue;
      std::int64_t& extent = extents[kSpatialAxes[static_cast<std::size_t>(axis)]];
      const std::int64_t samples = plan_.pieces[layer].samples;
      const std::int64_t held = extents.elements() * samples;
      const std::int64_t elements = halo.*planes * (held / extent);
      extent = halo.held;
      const Payload payload =
          phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
      halo_transfers_.push_back(
          {Collective::halo_exchange,
           axes_along(assignment_.effects[layer], static_cast<std::size_t>(axis)),
           Bytes{element_bytes(tensor) * static_cast<double>(elements)}, payload, tensor,
           Bytes{element_bytes(tensor) * static_cast<double>(held)}});
    }
    return halo_transfers_;
  }

  Halos halos_by(LayerId id, Halo (*halo)(const Layer&, std::size_t, std::int64_t)) const {
    return halos_of(graph_[id], assignment_.effects[id], plan_.degrees, halo);
  }

  std::uint32_t sum_statistics(LayerId id, Phase phase, std::uint32_t after) {
    const AxisSet axes =
        statistics_axes(graph_[id], assignment_.effects[id], plan_.strategy.batch_norm);
    if (axes == 0) return after;
    const Layer& layer = graph_[id];
    const double share = static_cast<double>(plan_.pieces[id].output.channels()) /
                         static_cast<double>(layer.output.channels());
    const Transfer transfer{Collective::all_reduce, axes,
                            Bytes{kStatisticsBytes * static_cast<double>(layer.statistics) * share},
                            Payload::statistics, id};
    return add_item(transfer, phase, {after});
  }

  /// The item after which a layer's output is there as it is delivered.
  std::uint32_t made_by(LayerId id) const {
    return outputs_.find(id, [](const Version&) { return true; })->item;
  }

  void forward(LayerId id) {
    const Layer& layer = graph_[id];
    if (plan_.is_fused(id)) {
      outputs_.add(id, {plan_.pieces[id].output_layout, made_by(layer.inputs.front())});
      return;
    }
    needs_.clear();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const LayerId producer = layer.inputs[i];
      std::uint32_t item = output_in(producer, demanded_input(graph_, assignment_, id, i));
      if (i == 0) {
        item = exchange_halos(producer, id, halos_by(id, forward_halo), plan_.pieces[id].input,
                              Phase::forward, item);
        item = sum_statistics(id, Phase::forward, item);
      }
      needs_.push_back(item);
    }
    const std::uint32_t item = add_item(Work{id, Pass::forward}, Phase::forward, needs_);
    outputs_.add(id, {plan_.pieces[id].output_layout, item});
  }

  /// Adds up the gradients that the consumers in this stage deliver and converts the sum to what
  /// the producer's backward demands. Gradients in one layout are added before they travel.
  std::uint32_t collect_gradient(LayerId producer) {
    gradients_.take(producer, parts_);
    const Layout& demanded = plan_.pieces[producer].gradient_layout;
    std::uint32_t sum = kNoItem;
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      Version part = parts_[i];
      for (std::size_t j = parts_.size() - 1; j > i; --j) {
        if (parts_[j].layout != part.layout) continue;
        part.item = add_gradients(producer, part.item, parts_[j].item);
        parts_.erase(parts_.begin() + static_cast<std::ptrdiff_t>(j));
      }
      const std::uint32_t converted = convert_tensor(producer, part, demanded, Phase::backward);
      sum = i == 0 ? converted : add_gradients(producer, sum, converted);
    }
    return sum;
  }

  std::uint32_t add_gradients(LayerId producer, std::uint32_t a, std::uint32_t b) {
    return add_item(Work{producer, Pass::gradient_sum}, Phase::backward, {a, b});
  }

  void backward(LayerId id) {
    if (!needs_gradient_[id]) return;
    const Layer& layer = graph_[id];
    const std::uint32_t gradient = collect_gradient(id);
    if (is_fused_backward(graph_, plan_, id)) {
      gradients_.add(layer.inputs.front(), {plan_.pieces[id].gradient_layout, gradient});
      return;
    }
    const bool to_inputs = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                       [&](LayerId input) { return needs_gradient_[input]; });
    if (to_inputs) {
      std::uint32_t ready = gradient;
      if (!returns_gradient(layer)) {
        ready = exchange_halos(id, id, halos_by(id, backward_halo), plan_.pieces[id].output,
                               Phase::backward, ready);
      }
      ready = sum_statistics(id, Phase::backward, ready);
      std::uint32_t item = add_item(Work{id, Pass::backward_data}, Phase::backward, {ready});
      if (returns_gradient(layer)) item = return_halos(layer.inputs.front(), id, item);
      for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        if (!needs_gradient_[layer.inputs[i]]) continue;
        gradients_.add(layer.inputs[i], {delivered_gradient(graph_, assignment_, id, i), item});
      }
    }
    if (layer.trainable()) {
      const std::uint32_t item =
          add_item(Work{id, Pass::backward_weights}, Phase::backward, {gradient});
      const double bytes =
          plan_.training.precision.gradient_bytes * static_cast<double>(plan_.pieces[id].weights);
      stage_->backward_end.gradients.push_back(
          {gradient_axes(assignment_.effects[id]), Bytes{bytes}, id, item});
    }
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
  }

  Transfer message(LayerId tensor, const Layout& layout, Payload payload) const {
    const std::int64_t elements = local_elements(graph_[tensor].output, samples_, layout,
                                                 plan_.degrees, graph_[tensor].grain);
    return {Collective::send_receive, plan_.pipeline_axes,
            Bytes{element_bytes(tensor) * static_cast<double>(elements)}, payload, tensor};
  }

  /// Every tensor made up to here and read later crosses to the next stage; its gradient comes back
  /// as the first part of the sum.
  void messages() {
    if (stage_->last == graph_.size()) return;
    for (LayerId id = 1; id < stage_->last; ++id) {
      if (graph_.consumers[id].back() < stage_->last) continue;
      stage_->to_next.push_back(message(id, plan_.pieces[id].output_layout, Payload::activation));
      if (!needs_gradient_[id]) continue;
      stage_->from_next.push_back(
          message(id, plan_.pieces[id].gradient_layout, Payload::activation_gradient));
      gradients_.add(id, {plan_.pieces[id].gradient_layout, kNoItem});
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const Assignment& assignment_;
  std::int64_t samples_;
  Stage* stage_ = nullptr;  ///< the one being written
  std::vector<bool> needs_gradient_;
  Versions outputs_;                      ///< of each layer, in the layouts made so far
  Versions gradients_;                    ///< of each layer's output, as its consumers deliver them
  std::vector<std::uint32_t> needs_;      ///< of the item being written
  std::vector<Transfer> halo_transfers_;  ///< of the layer being written
  std::vector<Version> parts_;            ///< of the gradient being collected
  Buckets buckets_;
};

}  // namespace

std::vector<bool> needs_gradient(const Graph& graph) {
  std::vector<bool> needs(graph.size(), false);
  for (LayerId id = 1; id < graph.size(); ++id) {
    const Layer& layer = graph[id];
    needs[id] = layer.trainable() || std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                                 [&](LayerId input) { return needs[input]; });
  }
  return needs;
}

void emit_stages(const Graph& graph, const Assignment& assignment, Plan& plan) {
  Emitter emitter(graph, plan, assignment);
  for (Stage& stage : plan.stages) emitter.run(stage);
}

}  // namespace oracle
