#include "oracle/memory/liveness.h"

#include <algorithm>

#include "oracle/memory/copies.h"
#include "oracle/memory/staging.h"
#include "oracle/memory/workspace.h"
#include "oracle/plan/emit.h"
#include "oracle/plan/fusion.h"
#include "oracle/plan/halo.h"
#include "oracle/plan/sharing.h"

namespace oracle {
namespace {

class Walk {
 public:
  Walk(const Graph& graph, const Plan& plan, const Stage& stage)
      : graph_(graph),
        plan_(plan),
        stage_(stage),
        needs_gradient_(needs_gradient(graph)),
        copies_(copies_of(graph, plan, stage)),
        births_(graph.size() + 1),
        forward_deaths_(graph.size() + 1),
        backward_deaths_(graph.size() + 1),
        gradient_(graph.size()),
        shared_(graph.size()) {
    for (const Copy& copy : copies_) {
      births_[copy.born] += copy.bytes;
      Bytes& deaths =
          copy.kept ? backward_deaths_[copy.last_backward] : forward_deaths_[copy.last_forward];
      deaths += copy.bytes;
      if (copy.kept) result_.kept += copy.bytes;
    }
    for (LayerId id = stage.first; id < stage.last; ++id) {
      const Bytes mask = mask_of(id);
      births_[id] += mask;
      backward_deaths_[id] += mask;
      result_.kept += mask;
    }
  }

  Liveness run() {
    const LayerId first = std::max<LayerId>(stage_.first, 1);
    for (LayerId id = first; id < stage_.last; ++id) forward(id);
    for (const Transfer& message : stage_.to_next) hold_buffers(message.bytes);
    activations_ -= forward_deaths_[stage_.last];
    receive_gradients();
    for (LayerId id = stage_.last; id-- > first;) backward(id);
    for (LayerId id = 0; id < stage_.first; ++id) {
      drop(id);
      activations_ -= backward_deaths_[id];
    }
    result_.left = activations_ + gradients_;
    for (std::size_t i = result_.after_gradient.size(); i-- > 1;) {
      raise(result_.after_gradient[i - 1], result_.after_gradient[i]);
    }
    return std::move(result_);
  }

 private:
  Bytes mask_of(LayerId id) const {
    const Piece& piece = plan_.pieces[id];
    const double outputs =
        static_cast<double>(piece.output.elements()) * static_cast<double>(piece.samples);
    return Bytes{graph_[id].mask_bytes_per_output * outputs};
  }

  static void raise(LivePoint& highest, const LivePoint& point) {
    if (point.total() > highest.total()) highest = point;
  }

  /// A moment at which `buffers` or `workspace` are held beside what is alive.
  void moment(Bytes buffers, Bytes workspace) {
    const LivePoint point{layer_, pass_, activations_, gradients_, buffers, workspace};
    raise(result_.peak, point);
    if (!result_.after_gradient.empty()) raise(result_.after_gradient.back(), point);
  }
  void hold_buffers(Bytes buffers) { moment(buffers, {}); }

  void mark(Bytes workspace) {
    result_.points.push_back({layer_, pass_, activations_, gradients_, {}, {}});
    moment({}, workspace);
  }

  /// The transfers up to the work that comes next, or to the end of backward.
  template <typename Visit>
  void transfers(Visit visit) {
    for (; cursor_ < stage_.backward_end.items; ++cursor_) {
      const auto* transfer = std::get_if<Transfer>(&stage_.items[cursor_].what);
      if (transfer == nullptr) return;
      if (transfer->payload != Payload::statistics) visit(*transfer);
    }
  }

  std::int64_t members(const Transfer& transfer) const { return plan_.group_size(transfer.axes); }

  void forward(LayerId id) {
    if (plan_.is_fused(id)) {
      activations_ += births_[id] - forward_deaths_[id];
      return;
    }
    layer_ = id;
    pass_ = Pass::forward;
    transfers([&](const Transfer& transfer) {
      hold_buffers(extra_beside(transfer, members(transfer), made_from(transfer, id)));
    });
    ++cursor_;
    activations_ += births_[id];
    mark(workspace(graph_[id], plan_.pieces[id], Pass::forward, plan_));
    activations_ -= forward_deaths_[id];
  }

  /// What a transfer before the layer's forward takes to what.
  Moved made_from(const Transfer& transfer, LayerId reader) const {
    Moved moved;
    for (const Copy& copy : copies_) {
      const bool halo = transfer.collective == Collective::halo_exchange;
      if (copy.born == reader &&
          (halo ? copy.tensor == kNoTensor : copy.tensor == transfer.layer)) {
        moved.to = copy.bytes;
      }
      if (copy.born == reader || copy.tensor != transfer.layer) continue;
      moved.from = copy.bytes;
      moved.dies = !copy.kept && copy.last_forward == reader;
    }
    return moved;
  }

  /// The next stage sends the gradients of all it was given; they are there before backward begins.
  void receive_gradients() {
    if (stage_.last == graph_.size()) return;
    for (LayerId id = 1; id < stage_.last; ++id) {
      if (graph_.consumers[id].back() < stage_.last || !needs_gradient_[id]) continue;
      add_part(id, plan_.pieces[id].gradient_layout);
    }
  }

  void add_part(LayerId tensor, const Layout& layout) {
    const Bytes bytes = bytes_in(graph_, plan_, tensor, layout);
    gradient_[tensor] += bytes;
    gradients_ += bytes;
  }

  /// What another tensor's gradient shares stays alive with that.
  void drop(LayerId tensor) {
    gradients_ -= gradient_[tensor] - shared_[tensor].bytes;
    gradient_[tensor] = Bytes{};
    if (shared_[tensor].bytes.value == 0) return;
    shared_[shared_[tensor].with] = {};
    shared_[tensor] = {};
  }

  /// Two parts that were counted are one.
  void share(const std::optional<SharedGradient>& pair, Bytes bytes) {
    if (!pair) return;
    gradients_ -= bytes;
    shared_[pair->first] = {bytes, pair->second};
    shared_[pair->second] = {bytes, pair->first};
  }

  /// The parts become one tensor in the layout that backward demands.
  void collect(LayerId id) {
    const Bytes whole = bytes_in(graph_, plan_, id, plan_.pieces[id].gradient_layout);
    moment({}, {});
    for (; cursor_ < stage_.backward_end.items; ++cursor_) {
      const Item& item = stage_.items[cursor_];
      if (const auto* work = std::get_if<Work>(&item.what)) {
        if (work->pass != Pass::gradient_sum || work->layer != id) break;
        continue;
      }
      const auto& transfer = std::get<Transfer>(item.what);
      if (transfer.collective == Collective::halo_exchange || transfer.layer != id ||
          transfer.payload != Payload::activation_gradient) {
        break;
      }
      const Bytes part = std::min(gradient_[id], std::max(whole, transfer.bytes));
      hold_buffers(extra_beside(transfer, members(transfer), {part, whole, true}));
    }
    if (gradient_[id].value == 0 || shared_[id].bytes.value > 0) return;
    drop(id);
    gradient_[id] = whole;
    gradients_ += whole;
  }

  /// The gradients of the layer's inputs are born before its own dies; the network's input has
  /// none.
  void backward(LayerId id) {
    layer_ = id;
    pass_ = Pass::backward_data;
    if (needs_gradient_[id] && is_fused_backward(graph_, plan_, id)) {
      collect(id);
      hand_on(id);
    } else if (needs_gradient_[id]) {
      collect(id);
      backward_data(id);
      backward_weights(id);
    } else {
      mark({});
    }
    drop(id);
    activations_ -= backward_deaths_[id];
    if (needs_gradient_[id] && graph_[id].trainable()) {
      result_.after_gradient.emplace_back();
      moment({}, {});
    }
  }

  /// The layer that it reads takes the gradient as it is.
  void hand_on(LayerId id) {
    drop(id);
    add_part(graph_[id].inputs.front(), plan_.pieces[id].gradient_layout);
  }

  /// Whether the layer makes an input's gradient of its output's, in place.
  bool becomes_input_gradient(LayerId id) const {
    const Layer& layer = graph_[id];
    const Layout& layout = plan_.pieces[id].input_layout;
    return layer.in_place && !layer.trainable() &&
           std::any_of(layer.inputs.begin(), layer.inputs.end(), [&](LayerId input) {
             return needs_gradient_[input] &&
                    bytes_in(graph_, plan_, input, layout) == gradient_[id];
           });
  }

  void backward_data(LayerId id) {
    const Layer& layer = graph_[id];
    const bool returns = returns_gradient(layer);
    const Bytes own = gradient_[id];
    Bytes haloed =
        bytes_with_halos(graph_, plan_, id, returns ? Pass::forward : Pass::backward_data);
    bool to_inputs = false;
    for (const LayerId input : layer.inputs) to_inputs = to_inputs || needs_gradient_[input];
    if (!to_inputs) haloed = Bytes{};
    if (to_inputs && !returns) {
      transfers([&](const Transfer& transfer) {
        hold_buffers(extra_beside(transfer, members(transfer), {own, haloed, !layer.trainable()}));
      });
    }
    if (becomes_input_gradient(id)) drop(id);
    for (const LayerId input : layer.inputs) {
      if (needs_gradient_[input]) add_part(input, plan_.pieces[id].input_layout);
    }
    share(shared_gradient(graph_, plan_, stage_, needs_gradient_, id), own);
    // The kernel of a pool makes its gradient with halos; that of others reads one with halos.
    gradients_ += haloed;
    mark(to_inputs ? workspace(layer, plan_.pieces[id], Pass::backward_data, plan_) : Bytes{});
    gradients_ -= haloed;
    if (to_inputs) ++cursor_;
    if (to_inputs && returns) return_halos(layer.inputs.front(), haloed);
  }

  /// What was computed for others goes back to them.
  void return_halos(LayerId input, Bytes haloed) {
    for (; cursor_ < stage_.backward_end.items; ++cursor_) {
      const auto* transfer = std::get_if<Transfer>(&stage_.items[cursor_].what);
      const bool returns = transfer != nullptr && transfer->layer == input &&
                           transfer->collective == Collective::halo_exchange;
      if (!returns) return;
      hold_buffers(haloed + Bytes{2 * transfer->bytes.value});
    }
  }

  void backward_weights(LayerId id) {
    if (!graph_[id].trainable()) return;
    ++cursor_;
    moment({}, workspace(graph_[id], plan_.pieces[id], Pass::backward_weights, plan_));
  }

  const Graph& graph_;
  const Plan& plan_;
  const Stage& stage_;
  std::vector<bool> needs_gradient_;
  std::vector<Copy> copies_;
  std::vector<Bytes> births_, forward_deaths_, backward_deaths_;  ///< by layer
  std::vector<Bytes> gradient_;  ///< of each tensor, all its parts while they are alive
  struct SharedPart {
    Bytes bytes;
    LayerId with = 0;
  };
  std::vector<SharedPart> shared_;  ///< of each tensor, with one other
  Bytes activations_, gradients_;
  LayerId layer_ = 0;  ///< the one that runs
  Pass pass_ = Pass::forward;
  std::size_t cursor_ = 0;  ///< next item of the stage
  Liveness result_;
};

}  // namespace

Liveness liveness(const Graph& graph, const Plan& plan, std::size_t stage) {
  return Walk(graph, plan, plan.stages[stage]).run();
}

}  // namespace oracle
