#include "oracle/plan/emit.h"

#include <algorithm>

#include "oracle/plan/buckets.h"
#include "oracle/plan/item_list.h"

namespace oracle {
namespace {

constexpr double kStatisticsBytes = 4;  // batch norm keeps its statistics in fp32

/// A tensor in one layout, and the item after which it is there.
struct Ready {
  Layout layout{};
  std::uint32_t item = kNoItem;
};

/// Halo planes of a layer's input or output gradient over each spatial axis.
using Halos = std::array<Halo, 3>;

class StageEmitter {
 public:
  StageEmitter(const Graph& graph, const Plan& plan, const Assignment& assignment,
               std::int64_t samples, Stage& stage)
      : graph_(graph),
        plan_(plan),
        assignment_(assignment),
        samples_(samples),
        stage_(stage),
        items_(stage),
        needs_gradient_(needs_gradient(graph)),
        outputs_(graph.size()),
        gradients_(graph.size()),
        buckets_(plan.strategy.bucket) {}

  void run() {
    stage_.items.reserve(8 * (stage_.last - stage_.first));
    stage_.needs.reserve(12 * (stage_.last - stage_.first));
    for (LayerId id = std::max<LayerId>(stage_.first, 1); id < stage_.last; ++id) forward(id);
    stage_.backward_begin = static_cast<std::uint32_t>(stage_.items.size());
    messages();
    for (LayerId id = stage_.last; id-- > std::max<LayerId>(stage_.first, 1);) backward(id);
    for (LayerId id = 1; id < stage_.first; ++id) collect_gradient(id);
    exchange_and_update();
  }

 private:
  double element_bytes() const { return plan_.training.precision.activation_bytes; }

  /// Emits what turns `from` into `to`; returns the item after which the tensor is there.
  std::uint32_t convert_tensor(LayerId tensor, const Ready& from, const Layout& to, Phase phase) {
    const Payload payload =
        phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
    std::uint32_t last = from.item;
    for (const Conversion& step :
         convert(from.layout, to, graph_[tensor].output, samples_, plan_.degrees)) {
      const Transfer transfer{step.collective, step.axes,
                              Bytes{element_bytes() * static_cast<double>(step.elements)}, payload,
                              tensor};
      last = items_.add(transfer, phase, {last});
    }
    return last;
  }

  /// The output of `producer` in `layout`: as delivered, already converted, or converted now.
  std::uint32_t output_in(LayerId producer, const Layout& layout) {
    std::vector<Ready>& ready = outputs_[producer];
    if (ready.empty()) ready.push_back({plan_.pieces[producer].output_layout, kNoItem});
    for (const Ready& copy : ready) {
      if (copy.layout == layout) return copy.item;
    }
    const std::uint32_t item = convert_tensor(producer, ready.front(), layout, Phase::forward);
    ready.push_back({layout, item});
    return item;
  }

  /// One exchange per cut spatial axis; a later axis also sends the corners an earlier one brought.
  std::uint32_t exchange_halos(LayerId tensor, LayerId layer, const Halos& halos, Shape extents,
                               Phase phase, std::uint32_t after) {
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      const int axis = spatial_axis_of(assignment_.effects[layer][a].input);
      if (axis < 0) continue;
      const Halo& halo = halos[static_cast<std::size_t>(axis)];
      if (halo.planes() == 0) continue;
      std::int64_t& extent = extents[kSpatialAxes[static_cast<std::size_t>(axis)]];
      const std::int64_t plane = extents.elements() / extent;
      const std::int64_t elements = halo.planes() * plane * plan_.pieces[layer].samples;
      extent += halo.planes();
      const Payload payload =
          phase == Phase::forward ? Payload::activation : Payload::activation_gradient;
      const Transfer transfer{Collective::halo_exchange, AxisSet{1} << a,
                              Bytes{element_bytes() * static_cast<double>(elements)}, payload,
                              tensor};
      after = items_.add(transfer, phase, {after});
    }
    return after;
  }

  Halos halos_of(LayerId id, Halo (*halo)(const Layer&, std::size_t, std::int64_t)) const {
    Halos halos{};
    if (graph_[id].reach != Reach::windowed) return halos;
    for (std::size_t s = 0; s < halos.size(); ++s) {
      const std::int64_t degree = spatial_degree(assignment_.effects[id], plan_.degrees, s);
      if (degree > 1) halos[s] = halo(graph_[id], s, degree);
    }
    return halos;
  }

  /// Mesh axes over which a batch norm sums its statistics.
  AxisSet statistics_axes(LayerId id) const {
    const BatchNormMode mode = plan_.strategy.batch_norm;
    if (!graph_[id].batch_statistics || mode == BatchNormMode::local) return 0;
    AxisSet axes = 0;
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      const State state = assignment_.effects[id][a].input;
      const bool over_samples =
          state == State::sample && mode == BatchNormMode::synchronized;
      if (over_samples || spatial_axis_of(state) >= 0) axes |= AxisSet{1} << a;
    }
    return axes;
  }

  std::uint32_t sum_statistics(LayerId id, Phase phase, std::uint32_t after) {
    const AxisSet axes = statistics_axes(id);
    if (axes == 0) return after;
    const Layer& layer = graph_[id];
    const double share = static_cast<double>(plan_.pieces[id].output.channels()) /
                         static_cast<double>(layer.output.channels());
    const Transfer transfer{Collective::all_reduce, axes,
                            Bytes{kStatisticsBytes * static_cast<double>(layer.statistics) * share},
                            Payload::statistics, id};
    return items_.add(transfer, phase, {after});
  }

  void forward(LayerId id) {
    const Layer& layer = graph_[id];
    needs_.clear();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const LayerId producer = layer.inputs[i];
      std::uint32_t item = output_in(producer, demanded_input(graph_, assignment_, id, i));
      if (i == 0) {
        item = exchange_halos(producer, id, halos_of(id, forward_halo), plan_.pieces[id].input,
                              Phase::forward, item);
        item = sum_statistics(id, Phase::forward, item);
      }
      needs_.push_back(item);
    }
    const std::uint32_t item = items_.add(Work{id, Pass::forward}, Phase::forward, needs_);
    outputs_[id].push_back({plan_.pieces[id].output_layout, item});
  }

  /// Adds up the gradients that the consumers in this stage deliver and converts the sum to what the
  /// producer's backward demands. Gradients in one layout are added before they travel.
  std::uint32_t collect_gradient(LayerId producer) {
    std::vector<Ready>& parts = gradients_[producer];
    const Layout& demanded = plan_.pieces[producer].gradient_layout;
    std::uint32_t sum = kNoItem;
    for (bool is_first = true; !parts.empty(); is_first = false) {
      Ready first = parts.front();
      parts.erase(parts.begin());
      for (auto other = parts.begin(); other != parts.end();) {
        if (other->layout != first.layout) {
          ++other;
          continue;
        }
        first.item = add_gradients(producer, first.item, other->item);
        other = parts.erase(other);
      }
      const std::uint32_t converted =
          convert_tensor(producer, first, demanded, Phase::backward);
      sum = is_first ? converted : add_gradients(producer, sum, converted);
    }
    return sum;
  }

  std::uint32_t add_gradients(LayerId producer, std::uint32_t a, std::uint32_t b) {
    return items_.add(Work{producer, Pass::gradient_sum}, Phase::backward, {a, b});
  }

  void backward(LayerId id) {
    if (!needs_gradient_[id]) return;
    const Layer& layer = graph_[id];
    const std::uint32_t gradient = collect_gradient(id);
    const bool to_inputs = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                       [&](LayerId input) { return needs_gradient_[input]; });
    if (to_inputs) {
      std::uint32_t ready = exchange_halos(id, id, halos_of(id, backward_halo),
                                           plan_.pieces[id].output, Phase::backward, gradient);
      ready = sum_statistics(id, Phase::backward, ready);
      const std::uint32_t item =
          items_.add(Work{id, Pass::backward_data}, Phase::backward, {ready});
      for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
        if (!needs_gradient_[layer.inputs[i]]) continue;
        gradients_[layer.inputs[i]].push_back(
            {delivered_gradient(graph_, assignment_, id, i), item});
      }
    }
    if (layer.trainable()) {
      const std::uint32_t item =
          items_.add(Work{id, Pass::backward_weights}, Phase::backward, {gradient});
      const double bytes = plan_.training.precision.gradient_bytes;
      buckets_.add(gradient_axes(id), Bytes{bytes * static_cast<double>(plan_.pieces[id].weights)},
                   id, item);
    }
  }

  /// Mesh axes over which the layer's weight gradient is a partial sum.
  AxisSet gradient_axes(LayerId id) const {
    AxisSet axes = 0;
    for (std::size_t a = 0; a < plan_.degrees.size(); ++a) {
      if (assignment_.effects[id][a].partial_weight_gradient) axes |= AxisSet{1} << a;
    }
    return axes;
  }

  void exchange_and_update() {
    const auto end = static_cast<std::uint32_t>(stage_.items.size());
    const std::uint32_t last_backward = end > stage_.backward_begin ? end - 1 : kNoItem;
    needs_.assign({last_backward});
    for (const Bucket& bucket : buckets_.finish()) {
      const std::uint32_t after = plan_.strategy.overlap ? bucket.ready_after : last_backward;
      needs_.push_back(items_.add(bucket.transfer, Phase::exchange, {after}));
    }
    const bool trains = std::any_of(
        graph_.layers.begin() + stage_.first, graph_.layers.begin() + stage_.last,
        [](const Layer& layer) { return layer.trainable(); });
    if (trains) items_.add(Work{kAllLayers, Pass::update}, Phase::update, needs_);
  }

  Transfer message(LayerId tensor, const Layout& layout, Payload payload) const {
    const std::int64_t elements =
        local_elements(graph_[tensor].output, samples_, layout, plan_.degrees);
    return {Collective::send_receive, plan_.pipeline_axes,
            Bytes{element_bytes() * static_cast<double>(elements)}, payload, tensor};
  }

  /// Every tensor made up to here and read later crosses to the next stage; its gradient comes back as
  /// the first part of the sum.
  void messages() {
    if (stage_.last == graph_.size()) return;
    for (LayerId id = 1; id < stage_.last; ++id) {
      if (graph_.consumers[id].back() < stage_.last) continue;
      stage_.to_next.push_back(
          message(id, plan_.pieces[id].output_layout, Payload::activation));
      if (!needs_gradient_[id]) continue;
      stage_.from_next.push_back(
          message(id, plan_.pieces[id].gradient_layout, Payload::activation_gradient));
      gradients_[id].push_back({plan_.pieces[id].gradient_layout, kNoItem});
    }
  }

  const Graph& graph_;
  const Plan& plan_;
  const Assignment& assignment_;
  std::int64_t samples_;
  Stage& stage_;
  ItemList items_;
  std::vector<bool> needs_gradient_;
  std::vector<std::vector<Ready>> outputs_;    ///< of each layer, in the layouts made so far
  std::vector<std::vector<Ready>> gradients_;  ///< of each layer's output, as its consumers deliver them
  std::vector<std::uint32_t> needs_;           ///< of the item being written
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

void emit_stage(const Graph& graph, const Plan& plan, const Assignment& assignment,
                std::int64_t samples, Stage& stage) {
  StageEmitter(graph, plan, assignment, samples, stage).run();
}

}  // namespace oracle
