#include "oracle/memory/liveness.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/memory/staging.h"
#include "oracle/memory/workspace.h"
#include "oracle/plan/lifetimes.h"

namespace oracle {
namespace {

/// Activations, gradients, gathered weights, or scores in fp32.
std::size_t kind_of(const PlanTensor& tensor) {
  if (tensor.role == Role::weight) return 2;
  if (tensor.role == Role::scores) return 3;
  return tensor.role == Role::activation_gradient || tensor.role == Role::weight_gradient ? 1 : 0;
}

class Walk {
 public:
  Walk(const Graph& graph, const Plan& plan, const Stage& stage)
      : graph_(graph),
        plan_(plan),
        stage_(stage),
        last_(last_moments(stage)),
        alive_(stage.tensors.size(), false),
        deaths_(last_moment(stage) + 1),
        dies_next_(stage.tensors.size(), kNoTensor) {
    for (TensorId id = 0; id < stage.tensors.size(); ++id) {
      const TensorId storage = stage.tensors[id].storage;
      last_[storage] = std::max(last_[storage], last_[id]);
    }
  }

  Liveness run() {
    result_.points.reserve(2 * (stage_.last - stage_.first));
    if (keeps_weights_whole()) bear_weights();
    for (const TensorId id : stage_.received) bear(id);
    for (std::uint32_t i = 0; i < stage_.backward_begin; ++i) step(i);
    for (const Transfer& message : stage_.to_next) moment(message.bytes, {});
    end(moment_of_messages(stage_));
    result_.kept = live_[0];
    result_.kept_scores = live_[3];
    for (const TensorId id : stage_.returned) bear(id);
    for (std::uint32_t i = stage_.backward_begin; i < stage_.inputs_end(); ++i) step(i);
    end(moment_of_return(stage_));
    if (stage_.parts_backward()) run_weights();
    end(last_moment(stage_));
    result_.left = live_[0] + live_[1] + live_[2] + live_[3];
    for (std::size_t i = result_.after_gradient.size(); i-- > 1;) {
      raise(result_.after_gradient[i - 1], result_.after_gradient[i]);
    }
    return std::move(result_);
  }

 private:
  using Tensors = std::span<const TensorId>;

  /// The second turn of backward. Gradients that the first one made leave in it, too.
  void run_weights() {
    result_.waiting = live_[0];
    result_.waiting_gradients = live_[1];
    peak_ = {};
    std::swap(result_.peak, result_.weights_peak);
    for (LivePoint& point : result_.after_gradient) point = {};
    peak_after_gradient_ = result_.after_gradient.empty() ? Bytes{INFINITY} : Bytes{};
    moment({}, {});
    for (std::uint32_t i = stage_.weights_begin; i < stage_.backward_end.items; ++i) step(i);
    std::swap(result_.peak, result_.weights_peak);
  }

  /// Storages that die at one moment.
  struct Deaths {
    TensorId first = kNoTensor, last = kNoTensor;
  };

  /// Weights that backward reads as forward gathered them are whole as long as any micro-batch is
  /// in flight.
  bool keeps_weights_whole() const {
    return !plan_.strategy.reshard && plan_.pipeline_axes != 0 && plan_.strategy.micro_batches > 1;
  }

  void bear_weights() {
    for (TensorId id = 0; id < stage_.tensors.size(); ++id) {
      if (stage_.tensors[id].role != Role::weight) continue;
      last_[id] = last_moment(stage_);
      bear(id);
    }
  }

  static void raise(LivePoint& highest, const LivePoint& point) {
    if (point.total() > highest.total()) highest = point;
  }

  LivePoint now() const { return {layer_, pass_, live_[0], live_[1], {}, {}, live_[2], live_[3]}; }

  /// Whether a tensor lives within the step: gradients of weights are there all the time, unless
  /// only shards of them are kept.
  bool is_transient(const PlanTensor& tensor) const {
    return tensor.role != Role::weight_gradient || plan_.strategy.shards_gradients();
  }

  /// A moment at which `buffers` or `workspace` are held beside what is alive.
  void moment(Bytes buffers, Bytes workspace) {
    // As LivePoint::total() adds up.
    const Bytes total = live_[0] + live_[1] + buffers + workspace + live_[2] + live_[3];
    if (total <= peak_ && total <= peak_after_gradient_) return;
    LivePoint point = now();
    point.buffers = buffers;
    point.workspace = workspace;
    if (total > peak_) {
      peak_ = total;
      result_.peak = point;
    }
    if (total > peak_after_gradient_) {
      peak_after_gradient_ = total;
      result_.after_gradient.back() = point;
    }
  }

  /// A tensor is there from now on, unless what lies in its place is.
  void bear(TensorId id) {
    const PlanTensor& tensor = stage_.tensors[id];
    const TensorId storage = tensor.storage;
    if (!is_transient(tensor) || tensor.on_host || alive_[storage]) return;
    alive_[storage] = true;
    live_[kind_of(tensor)] += stage_.tensors[storage].bytes;
    Deaths& deaths = deaths_[last_[storage]];
    (deaths.first == kNoTensor ? deaths.first : dies_next_[deaths.last]) = storage;
    deaths.last = storage;
  }

  /// What no item writes comes with its first reader.
  void bear_read(Tensors reads) {
    for (TensorId id : reads) {
      for (; id != kNoTensor && stage_.tensors[id].made_by == kNoItem;
           id = stage_.tensors[id].part_of) {
        bear(id);
      }
    }
    moment({}, {});
    end(now_ - 1);
  }

  void end(std::uint32_t moment) {
    for (TensorId id = deaths_[moment].first; id != kNoTensor; id = dies_next_[id]) {
      live_[kind_of(stage_.tensors[id])] -= stage_.tensors[id].bytes;
    }
  }

  void step(std::uint32_t index) {
    const Item& item = stage_.items[index];
    const Tensors reads = stage_.reads_of(item), writes = stage_.writes_of(item);
    now_ = moment_of(stage_, index);
    if (const auto* transfer = std::get_if<Transfer>(&item.what)) {
      bear_read(reads);
      if (transfer->payload != Payload::statistics) {
        moment(extra_beside(*transfer, plan_.group_size(transfer->axes), moved(reads, writes)), {});
      }
      for (const TensorId id : writes) bear(id);
    } else {
      work(std::get<Work>(item.what), reads, writes);
    }
    end(now_);
    if (!completes_gradient(index)) return;
    result_.after_gradient.emplace_back();
    peak_after_gradient_ = {};
    moment({}, {});
  }

  /// Not where it adds to the gradient of an earlier layer, whose weights it shares.
  bool completes_gradient(std::uint32_t item) const {
    const std::vector<Gradient>& gradients = stage_.backward_end.gradients;
    const std::size_t next = result_.after_gradient.size();
    return next < gradients.size() && gradients[next].ready_after == item;
  }

  /// Gradients that are scattered together are packed together.
  Moved moved(Tensors from, Tensors to) const {
    Moved moved{{}, {}, true};
    for (const TensorId id : to) moved.to += stage_.tensors[id].bytes;
    for (const TensorId id : from) {
      const PlanTensor& source = stage_.tensors[id];
      moved.from += source.bytes;
      moved.dies = moved.dies && last_[source.storage] <= now_;
    }
    return moved;
  }

  void work(const Work& work, Tensors reads, Tensors writes) {
    layer_ = work.layer;
    const bool forward = work.pass == Pass::forward || now_ < moment_of_messages(stage_);
    const Pass backward =
        now_ < moment_of_return(stage_) ? Pass::backward_data : Pass::backward_weights;
    pass_ = forward ? Pass::forward : backward;
    bear_read(reads);
    for (const TensorId id : writes) bear(id);
    if (work.pass == Pass::gradient_sum || work.pass == Pass::quantize) return moment({}, {});
    const LivePoint* before = result_.points.empty() ? nullptr : &result_.points.back();
    const bool noted = before != nullptr && before->layer == layer_ && before->pass == pass_;
    if (!noted) result_.points.push_back(now());
    moment({}, workspace(graph_, plan_, work.layer, work.pass));
  }

  const Graph& graph_;
  const Plan& plan_;
  const Stage& stage_;
  std::vector<std::uint32_t> last_;      ///< by tensor; of a storage, of all that lies there
  std::vector<bool> alive_;              ///< by storage: is, or was
  std::vector<Deaths> deaths_;           ///< by moment
  std::vector<TensorId> dies_next_;      ///< by storage, of those that die together
  std::array<Bytes, 4> live_{};          ///< by kind_of
  Bytes peak_;                           ///< total of the highest point so far,
  Bytes peak_after_gradient_{INFINITY};  ///< and since the last gradient, once there is one
  LayerId layer_ = 0;                    ///< the one that runs
  Pass pass_ = Pass::forward;
  std::uint32_t now_ = 0;
  Liveness result_;
};

}  // namespace

Liveness liveness(const Graph& graph, const Plan& plan, std::size_t stage) {
  return Walk(graph, plan, plan.stages[stage]).run();
}

}  // namespace oracle
