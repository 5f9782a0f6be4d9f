#include "oracle/plan/emit.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

#include "oracle/plan/assignment.h"
#include "oracle/plan/beside_products.h"
#include "oracle/plan/exchange.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/item_list.h"
#include "oracle/plan/key_ring.h"
#include "oracle/plan/lifetimes.h"
#include "oracle/plan/offload.h"
#include "oracle/plan/quantizer.h"
#include "oracle/plan/stage_writer.h"
#include "oracle/plan/storage.h"
#include "oracle/plan/twins.h"
#include "oracle/plan/versions.h"
#include "oracle/plan/weight_shards.h"

namespace oracle {
namespace {

constexpr double kStatisticsBytes = 4;  // batch norm keeps its statistics in fp32

constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

/// Writes the items of one stage after the other.
class Emitter : private StageWriter {
 public:
  Emitter(const Graph& graph, const Plan& plan)
      : StageWriter(graph, plan),
        needs_gradient_(needs_gradient(graph)),
        outputs_(graph.size()),
        gradients_(graph.size()),
        kept_(graph.size(), kNothing),
        again_(graph.size(), false),
        shards_(graph, plan, *this),
        ring_(graph, plan, *this),
        quantizer_(graph, plan, *this),
        mask_(graph.size(), kNoTensor),
        begun_(graph.size(), kNoTensor),
        buckets_(Bytes{}) {}

  /// `before`: the stage whose messages come in, or null.
  void run(Stage& stage, const Stage* before) {
    start(stage);
    in_two_turns_ = plan_.pipeline().parts_backward();
    quantizer_.start();
    outputs_.clear();
    gradients_.clear();
    if (before != nullptr) receive(*before);
    const LayerId first = std::max<LayerId>(stage.first, 1);
    shards_.start(first, stage.last);
    const std::vector<LayerSpan>& units = shards_.units();
    shards_.gather(0, Phase::forward);
    for (std::size_t u = 0; u < units.size(); ++u) {
      shards_.gather(u + 1, Phase::forward);
      for (LayerId id = units[u].first; id <= units[u].last; ++id) forward(id, Phase::forward);
    }
    stage.backward_begin = begin_direction();
    messages();
    if (plan_.strategy.regather) {
      for (LayerId id = 0; id < stage.last; ++id) drop_gathered(id);
    }
    shards_.gather(units.size() - 1, Phase::backward);
    for (std::size_t u = units.size(); u-- > 0;) {
      shards_.gather(u - 1, Phase::backward);
      for (LayerId id = units[u].last + 1; id-- > units[u].first;) {
        if (ends_segment(id)) compute_again(id);
        if (plan_.strategy.regather) read_inputs_again(id);
        backward(id);
      }
      if (!in_two_turns_) shards_.sum_gradients(u);
    }
    if (before != nullptr) {
      for (const Transfer& message : before->from_next) {
        stage.sent_back.push_back(collect_gradient(message.layer));
      }
    }
    if (in_two_turns_) run_weights(units);
    end_backward();
    share_storage(graph_, plan_, stage, needs_gradient_);
    offload_activations(graph_, plan_.strategy.offload, stage);
    list_messages_beside(graph_, plan_, stage);
    emit_exchange(plan_.strategy, stage, buckets_);
  }

 private:
  using Makes = Quantizer::Makes;

  /// The output of `producer` in `layout`: as delivered, already converted, or converted now.
  TensorId output_in(LayerId producer, const Layout& layout, Phase phase) {
    if (outputs_.empty(producer)) {
      const Layout& delivered = plan_.pieces[producer].output_layout;
      outputs_.add(producer, {delivered, add_tensor(producer, Role::activation, delivered)});
    }
    if (const Version* made = find_output(producer, layout, false)) return made->tensor;
    const Version own = *outputs_.find(producer, [](const Version&) { return true; });
    const TensorId tensor = convert_tensor(producer, own, layout, Carried::output, phase);
    outputs_.add(producer, {layout, tensor});
    return tensor;
  }

  const Version* find_output(LayerId producer, const Layout& layout, bool narrow) const {
    return outputs_.find(producer, [&](const Version& version) {
      return version.narrow == narrow && version.layout == layout;
    });
  }

  /// The same in fewer bits; `kept`: turned round as well, where that costs no item of its own.
  TensorId narrow_output_in(LayerId producer, const Layout& layout, LayerId reader, Phase phase,
                            bool kept) {
    if (const Version* made = find_output(producer, layout, true)) return made->tensor;
    TensorId rows = kNoTensor;
    if (find_output(producer, layout, false) == nullptr && quantizer_.travels(producer, layout)) {
      const Layout& own = plan_.pieces[producer].output_layout;
      const TensorId delivered = narrow_output_in(producer, own, reader, phase, false);
      rows = convert_tensor(producer, {own, delivered, true}, layout, Carried::narrow, phase);
    } else {
      const TensorId wide = output_in(producer, layout, phase);
      rows = quantizer_.quantize(wide, reader, phase, kept ? Makes::both : Makes::rows).rows;
    }
    outputs_.add(producer, {layout, rows, true});
    return rows;
  }

  /// The statistics of a layer's batch, or of its features, summed from a tensor that is there;
  /// none where each rank has its own.
  void read_statistics(LayerId id, Phase phase, TensorId from) {
    const Layer& layer = graph_[id];
    const Piece& piece = plan_.pieces[id];
    const Effects& effects = plan_.assignment.effects[id];
    if (phase == Phase::forward) {
      const std::int64_t positions = piece.samples * piece.input.positions();
      for (std::int64_t i = 0; i < layer.feature_sums; ++i) {
        sum_statistics(id, phase, from, feature_axes(effects), static_cast<double>(positions));
      }
    }
    const double share =
        static_cast<double>(piece.output.channels()) / static_cast<double>(layer.output.channels());
    sum_statistics(id, phase, from, statistics_axes(layer, effects, plan_.strategy.batch_norm),
                   static_cast<double>(layer.statistics) * share);
  }

  void sum_statistics(LayerId id, Phase phase, TensorId from, AxisSet axes, double numbers) {
    if (axes == 0) return;
    const Transfer transfer{Collective::all_reduce, axes, Bytes{kStatisticsBytes * numbers},
                            Payload::statistics, id};
    reads_.push_back(move(transfer, phase, from, add_tensor({id, Role::statistics})));
  }

  /// A layer's passes read its weights where these were gathered, or unpacked for them.
  void read_weights(LayerId id, Phase phase) {
    const TensorId weights = unpacked(id, shards_.weights_of(id), phase);
    if (weights != kNoTensor) reads_.push_back(weights);
  }

  /// A layer's output as it is delivered.
  TensorId made_by(LayerId id) const {
    return outputs_.find(id, [](const Version&) { return true; })->tensor;
  }

  /// Lists what a layer's forward reads of the layers before it, in `inputs_`.
  void read_inputs(LayerId id, Phase phase) {
    const Layer& layer = graph_[id];
    if (quantizer_.serves(id)) return read_narrow_input(id, phase);
    inputs_.clear();
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      const LayerId of = layer.inputs[i];
      TensorId input = output_in(of, demanded_input(graph_, plan_.assignment, id, i), phase);
      input = cast_input(input, of, id, phase);
      if (i == 0) input = exchange_halos(input, id, forward_halo, plan_.pieces[id].input, phase);
      inputs_.push_back(input);
    }
    if (!keeps(id)) return;
    kept_[id] = kept_inputs_.size();
    kept_inputs_.insert(kept_inputs_.end(), inputs_.begin(), inputs_.end());
  }

  /// What is read again in backward is turned round there.
  void read_narrow_input(LayerId id, Phase phase) {
    const auto turned = [&](LayerId reader) {
      const bool again = plan_.strategy.regather || plan_.recomputation.covers(reader);
      return keeps(reader) && needs_gradient_[reader] && (phase == Phase::backward || !again);
    };
    const LayerId of = graph_[id].inputs.front();
    const Layout layout = demanded_input(graph_, plan_.assignment, id, 0);
    const bool any = quantizer_.any_reader(of, layout, turned);
    const TensorId rows = narrow_output_in(of, layout, id, phase, any);
    inputs_.assign(1, rows);
    if (!keeps(id)) return;
    kept_[id] = kept_inputs_.size();
    kept_inputs_.push_back(turned(id) ? quantizer_.turned(rows, id, phase) : rows);
  }

  /// `phase`: backward where it computes again what was not kept.
  void forward(LayerId id, Phase phase) {
    const Layer& layer = graph_[id];
    const Layout& delivered = plan_.pieces[id].output_layout;
    if (plan_.is_fused(id)) {
      outputs_.add(id, {delivered, made_by(layer.inputs.front())});
      return;
    }
    read_inputs(id, phase);
    reads_ = inputs_;
    read_statistics(id, phase, inputs_.front());
    read_weights(id, phase);
    writes_.clear();
    writes_.push_back(add_tensor(computes_up_to(graph_, plan_, id), Role::activation, delivered));
    outputs_.add(id, {delivered, writes_.front()});
    if (mask_bytes(id) > 0) writes_.push_back(mask_[id] = add_mask(id));
    if (has_wide_scores(id)) writes_.push_back(mask_[id] = add_scores(id));
    if (ring_.serves(id)) return ring_.forward(id, phase, reads_, writes_);
    add_item(Work{id, Pass::forward}, phase, reads_, writes_);
  }

  /// Of what a layer made, forgets what was gathered and takes more memory than what it delivered.
  void drop_gathered(LayerId id) {
    if (outputs_.empty(id)) return;
    const Bytes delivered = tensor(made_by(id)).bytes;
    outputs_.drop_if(id, [&](const Version& version) {
      return bytes_in(graph_, plan_, id, version.layout) > delivered;
    });
  }

  /// What backward keeps of a layer's inputs, converted again from what their makers delivered.
  void read_inputs_again(LayerId id) {
    const bool computed = plan_.recomputation.covers(id);
    if (keeps(id) && needs_gradient_[id] && !computed && !plan_.is_fused(id)) {
      read_inputs(id, Phase::backward);
    }
  }

  bool ends_segment(LayerId id) const {
    const Recomputation& what = plan_.recomputation;
    if (!what.covers(id)) return false;
    return what.of(id).last == id || id + 1 == stage().last;
  }

  /// Whether backward reads what a layer of a segment made, and so it is computed again.
  bool is_read_again(LayerId id) const {
    const Recomputation& what = plan_.recomputation;
    if (what.keeps(id)) return false;
    if (what.whole || keeps_output(graph_, plan_, id) || mask_[id] != kNoTensor) return true;
    const std::vector<LayerId>& readers = graph_.consumers[id];
    return std::any_of(readers.begin(), readers.end(), [&](LayerId reader) {
      const bool with_it = reader < stage().last && what.covers(reader) &&
                           what.segment_of[reader] == what.segment_of[id];
      return with_it && (again_[reader] || (keeps(reader) && needs_gradient_[reader]));
    });
  }

  /// Layers of the segment that ends here, from the first on, of what the layers before it made.
  void compute_again(LayerId last) {
    const Recomputation& what = plan_.recomputation;
    const std::uint32_t segment = what.segment_of[last];
    const LayerId first = std::max(what.of(last).first, std::max<LayerId>(stage().first, 1));
    for (LayerId id = last + 1; id-- > first;) {
      again_[id] = what.segment_of[id] == segment && is_read_again(id);
    }
    for (LayerId id = first; id <= last; ++id) {
      if (what.segment_of[id] != segment) continue;
      for (const LayerId input : graph_[id].inputs) {
        if (what.segment_of[input] == segment) continue;
        drop_gathered(input);
        outputs_.drop_if(input, [](const Version& version) { return version.narrow; });
      }
      if (again_[id]) outputs_.drop(id);
    }
    for (LayerId id = first; id <= last; ++id) {
      if (what.segment_of[id] != segment) continue;
      if (again_[id]) {
        forward(id, Phase::backward);
      } else if (keeps(id) && needs_gradient_[id]) {
        read_inputs(id, Phase::backward);
      }
    }
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
      const TensorId converted =
          convert_tensor(producer, part, demanded, Carried::gradient, Phase::backward);
      sum = i == 0 ? converted : add_gradients(producer, sum, converted);
    }
    return sum;
  }

  /// Lets a pass of backward read the gradient of its output, if there is one, and what forward
  /// kept for it.
  void read_kept(LayerId id, TensorId gradient) {
    reads_.clear();
    if (gradient != kNoTensor) reads_.push_back(gradient);
    const Layer& layer = graph_[id];
    if (kept_[id] != kNothing) {
      const auto inputs = kept_inputs_.begin() + static_cast<std::ptrdiff_t>(kept_[id]);
      reads_.insert(reads_.end(), inputs,
                    inputs + static_cast<std::ptrdiff_t>(layer.inputs.size()));
    }
    if (keeps_output(graph_, plan_, id)) reads_.push_back(made_by(id));
    if (mask_[id] != kNoTensor) reads_.push_back(mask_[id]);
  }

  void backward(LayerId id) {
    if (!needs_gradient_[id]) return;
    const Layer& layer = graph_[id];
    TensorId gradient = collect_gradient(id);
    // Of a layer that no other reads it comes from outside; a loss begins backward itself.
    if (gradient == kNoTensor && !layer.is_loss()) {
      gradient = add_tensor(id, Role::activation_gradient, plan_.pieces[id].gradient_layout);
    }
    if (is_fused_backward(graph_, plan_, id)) {
      gradients_.add(layer.inputs.front(), {plan_.pieces[id].gradient_layout, gradient});
      return;
    }
    const bool to_inputs = std::any_of(layer.inputs.begin(), layer.inputs.end(),
                                       [&](LayerId input) { return needs_gradient_[input]; });
    const Quantizer::Operand operand = quantizer_.of_gradient(gradient, id, to_inputs);
    if (to_inputs) backward_data(id, operand.rows);
    if (!layer.learns()) return;
    if (in_two_turns_ && has_own_turn(layer)) {
      later_.emplace_back(id, operand.turned);
    } else {
      backward_weights(id, operand.turned);
    }
  }

  /// The second turn of backward, in the order of the first.
  void run_weights(const std::vector<LayerSpan>& units) {
    stage().weights_begin = static_cast<std::uint32_t>(stage().items.size());
    auto next = later_.begin();
    for (std::size_t u = units.size(); u-- > 0;) {
      for (; next != later_.end() && next->first >= units[u].first; ++next) {
        backward_weights(next->first, next->second);
      }
      shards_.sum_gradients(u);
    }
    later_.clear();
  }

  void backward_data(LayerId id, TensorId gradient) {
    const Layer& layer = graph_[id];
    const bool returns = returns_gradient(layer);
    if (!returns && gradient != kNoTensor) {
      gradient =
          exchange_halos(gradient, id, backward_halo, plan_.pieces[id].output, Phase::backward);
    }
    read_kept(id, gradient);
    read_statistics(id, Phase::backward, gradient);
    read_weights(id, Phase::backward);
    writes_.clear();
    KeyRing::Gradients made;
    for (std::size_t i = 0; i < layer.inputs.size(); ++i) {
      if (!needs_gradient_[layer.inputs[i]]) continue;
      const Layout delivered = delivered_gradient(graph_, plan_.assignment, id, i);
      writes_.push_back(i == 0 && returns ? add_with_all_halos(layer.inputs[i], delivered, id)
                                          : add_gradient(layer.inputs[i], delivered, id));
      made.emplace_back(i, writes_.back());
    }
    if (has_wide_scores(id)) writes_.push_back(add_scores(id));
    if (ring_.serves(id)) {
      ring_.backward(id, reads_, writes_, made);
    } else {
      add_item(Work{id, Pass::backward_data}, Phase::backward, reads_, writes_);
    }
    for (auto [i, gradient_of] : made) {
      if (i == 0 && returns) gradient_of = return_halos(gradient_of, id);
      gradient_of = cast_gradient(gradient_of, layer.inputs[i], id);
      gradients_.add(layer.inputs[i],
                     {delivered_gradient(graph_, plan_.assignment, id, i), gradient_of});
    }
  }

  void backward_weights(LayerId id, TensorId gradient) {
    read_kept(id, gradient);
    // A batch norm that makes no gradient of its input makes those of its weights as if it did.
    if (graph_[id].batch_statistics || graph_[id].gradient_reads_weights)
      read_weights(id, Phase::backward);
    const Piece& piece = plan_.pieces[id];
    const auto bytes_of = [&](std::int64_t elements, int each) {
      return Bytes{each * static_cast<double>(elements)};
    };
    PlanTensor weights{id, Role::weight_gradient};
    // What is scattered at once is left as kernels make it.
    const Precision& precision = plan_.training.precision;
    const int made_bytes =
        plan_.strategy.shards_gradients() ? precision.made_bytes() : precision.gradient_bytes;
    weights.bytes = bytes_of(piece.owned(), made_bytes);
    const TensorId made = add_tensor(weights);
    if (plan_.strategy.shards_gradients()) {
      add_to_begun(id, made, bytes_of(piece.weights, made_bytes));
    }
    const std::uint32_t item =
        add_item(Work{id, Pass::backward_weights}, Phase::backward, reads_, Tensors(&made, 1));
    // What it adds to an earlier layer's gradient is complete once that layer has added its own.
    if (piece.owned() == 0) return;
    const Bytes exchanged =
        bytes_of(plan_.in_shards(id, piece.owned()), precision.travelling_bytes());
    stage().backward_end.gradients.push_back({gradient_axes(plan_.assignment.effects[id]),
                                              exchanged, id, item, made, kNoItem,
                                              updated_on_host(graph_, plan_, id)});
  }

  /// A gradient that lives until it is scattered begins with the last layer that uses the weight;
  /// the others add to it.
  void add_to_begun(LayerId id, TensorId made, Bytes bytes) {
    const LayerId owner = owner_of_shared(graph_, id);
    TensorId& begun = begun_[stage().has(owner) ? owner : id];
    tensor(made).bytes = bytes;
    if (begun != kNoTensor) {
      reads_.push_back(begun);
      tensor(made).storage = tensor(begun).storage;
    }
    begun = made;
  }

  void end_backward() {
    BackwardEnd& end = stage().backward_end;
    end.items = static_cast<std::uint32_t>(stage().items.size());
    end.needs = static_cast<std::uint32_t>(stage().needs.size());
    end.value_bytes = plan_.training.precision.travelling_bytes();
    // Work and transfers run on streams of their own: backward is over when the last of both is.
    end.last_work = last<Work>();
    end.last_transfer = last<Transfer>();
    list_copies(plan_, stage());
    list_gradients(stage());
    shards_.list_gathers(end);
  }

  void receive(const Stage& before) {
    for (const Transfer& message : before.to_next) {
      const Layout& layout = plan_.pieces[message.layer].output_layout;
      stage().received.push_back(add_tensor(message.layer, Role::activation, layout));
      outputs_.add(message.layer, {layout, stage().received.back()});
    }
  }

  /// Every tensor made up to here and read later crosses to the next stage; its gradient comes back
  /// as the first part of the sum.
  void messages() {
    if (stage().last == graph_.size()) return;
    for (LayerId id = 1; id < stage().last; ++id) {
      if (graph_.consumers[id].back() < stage().last) continue;
      stage().to_next.push_back(message_of(graph_, plan_, id, Payload::activation));
      stage().sent.push_back(made_by(id));
      if (!needs_gradient_[id]) continue;
      const Layout& layout = plan_.pieces[id].gradient_layout;
      stage().from_next.push_back(message_of(graph_, plan_, id, Payload::activation_gradient));
      stage().returned.push_back(add_tensor(id, Role::activation_gradient, layout));
      gradients_.add(id, {layout, stage().returned.back()});
    }
  }

  std::vector<bool> needs_gradient_;
  Versions outputs_;                   ///< of each layer, in the layouts made so far
  Versions gradients_;                 ///< of each layer's output, as its consumers deliver them
  std::vector<std::size_t> kept_;      ///< by layer, where in `kept_inputs_`
  std::vector<TensorId> kept_inputs_;  ///< that backward reads
  std::vector<bool> again_;            ///< by layer: is computed again
  WeightShards shards_;
  KeyRing ring_;
  Quantizer quantizer_;
  std::vector<TensorId> mask_;                     ///< by layer
  std::vector<TensorId> begun_;                    ///< by layer: its weights' gradient so far
  std::vector<TensorId> inputs_, reads_, writes_;  ///< of the item being written
  bool in_two_turns_ = false;                      ///< backward in two turns
  /// Layers whose weights the second turn is of, and the gradients that it reads.
  std::vector<std::pair<LayerId, TensorId>> later_;
  std::vector<Version> parts_;  ///< of the gradient being collected
  Buckets buckets_;
};

}  // namespace

void emit_stages(const Graph& graph, Plan& plan, Twins twins) {
  Emitter emitter(graph, plan);
  for (std::size_t s = 0; s < plan.stages.size(); ++s) {
    if (is_twin(graph, plan, s)) {
      make_twin(plan.twin(s - 1), twins == Twins::whole, s, plan);
    } else {
      emitter.run(plan.stages[s], s == 0 ? nullptr : &plan.stages[s - 1]);
    }
  }
}

}  // namespace oracle
