#include "oracle/plan/lifetimes.h"

#include <algorithm>

#include "oracle/plan/assignment.h"
#include "oracle/plan/layout/halo.h"

namespace oracle {
namespace {

class StorageSharing {
 public:
  StorageSharing(const Graph& graph, const Plan& plan, Stage& stage,
                 const std::vector<bool>& needs_gradient)
      : graph_(graph),
        plan_(plan),
        stage_(stage),
        needs_gradient_(needs_gradient),
        last_(last_moments(stage)) {}

  void run() {
    for (std::uint32_t i = 0; i < stage_.backward_end.items; ++i) {
      const auto* work = std::get_if<Work>(&stage_.items[i].what);
      if (work == nullptr) continue;
      now_ = moment_of(stage_, i);
      const auto reads = stage_.reads_of(stage_.items[i]);
      const auto writes = stage_.writes_of(stage_.items[i]);
      if (work->pass == Pass::gradient_sum) join(writes.front(), reads.front());
      if (work->pass == Pass::forward) forward(graph_[work->layer], reads, writes.front());
      if (work->pass == Pass::backward_data) backward_data(work->layer, reads, writes);
    }
  }

 private:
  using Tensors = std::span<const TensorId>;

  PlanTensor& tensor(TensorId id) { return stage_.tensors[id]; }

  /// Lets `made` lie where `held` does.
  void join(TensorId made, TensorId held) {
    const TensorId storage = tensor(held).storage;
    tensor(made).storage = storage;
    last_[storage] = std::max(last_[storage], last_[made]);
  }

  bool fits(TensorId made, TensorId held) {
    return tensor(made).bytes == tensor(held).bytes && tensor(held).layer != 0;
  }
  bool dies(TensorId held) { return last_[tensor(held).storage] <= now_; }

  void forward(const Layer& layer, Tensors reads, TensorId output) {
    if (!layer.in_place) return;
    const TensorId input = reads.front();
    const bool looks_only = layer.of(Pass::forward).output_touches == 0;
    if (looks_only && tensor(output).bytes == tensor(input).bytes) return join(output, input);
    // A sum of a tensor and itself reads it once more.
    const bool once = std::count(reads.begin(), reads.end(), input) == 1;
    if (once && fits(output, input) && dies(input)) join(output, input);
  }

  void backward_data(LayerId id, Tensors reads, Tensors writes) {
    const TensorId gradient = reads.empty() ? kNoTensor : reads.front();
    const bool has = gradient != kNoTensor && tensor(gradient).role == Role::activation_gradient;
    if (has && graph_[id].in_place && dies(gradient)) {
      const auto made = std::find_if(writes.begin(), writes.end(),
                                     [&](TensorId input) { return fits(input, gradient); });
      if (made != writes.end()) join(*made, gradient);
    }
    if (!shared_gradient(graph_, plan_, stage_, needs_gradient_, id)) return;
    const bool second = tensor(writes[0]).storage == writes[0];
    join(second ? writes[0] : writes[1], second ? writes[1] : writes[0]);
  }

  const Graph& graph_;
  const Plan& plan_;
  Stage& stage_;
  const std::vector<bool>& needs_gradient_;
  std::vector<std::uint32_t> last_;  ///< by tensor; of a storage, of all that lies there so far
  std::uint32_t now_ = 0;
};

/// Whether a layer's backward makes the gradient of its input in that of its output.
bool overwrites(const Layer& layer) { return layer.in_place && !layer.trainable(); }

/// Whether the layer's backward has to fetch rows of its output's gradient first.
bool fetches(const Graph& graph, const Plan& plan, LayerId id) {
  if (returns_gradient(graph[id])) return false;
  const Layout& layout = plan.pieces[id].input_layout;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    const int axis = spatial_axis_of(layout[a]);
    if (axis < 0) continue;
    if (backward_halo(graph[id], static_cast<std::size_t>(axis), plan.degrees[a]).sent > 0) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::uint32_t> last_moments(const Stage& stage) {
  std::vector<std::uint32_t> last(stage.tensors.size(), 0);
  const auto needed = [&](TensorId id, std::uint32_t moment) {
    const TensorId whole = stage.tensors[id].part_of;
    if (whole != kNoTensor && last[id] == 0) last[whole] = std::max(last[whole], moment - 1);
    last[id] = std::max(last[id], moment);
  };
  for (std::uint32_t i = 0; i < stage.backward_end.items; ++i) {
    const std::uint32_t moment = moment_of(stage, i);
    for (const TensorId id : stage.writes_of(stage.items[i])) last[id] = moment;
    for (const TensorId id : stage.reads_of(stage.items[i])) needed(id, moment);
  }
  for (const TensorId id : stage.sent) needed(id, moment_of_messages(stage));
  for (const TensorId id : stage.returned) needed(id, moment_of_messages(stage));
  for (const TensorId id : stage.sent_back) needed(id, moment_of_return(stage));
  return last;
}

void share_storage(const Graph& graph, const Plan& plan, Stage& stage,
                   const std::vector<bool>& needs_gradient) {
  StorageSharing(graph, plan, stage, needs_gradient).run();
}

bool has_own_turn(const Layer& layer) {
  return !layer.batch_statistics && !layer.gradient_reads_weights;
}

bool may_share_gradient(const Layer& layer) {
  return layer.inputs.size() == 2 && overwrites(layer) &&
         layer.of(Pass::backward_data) == PassWork{};
}

std::optional<SharedGradient> shared_gradient(const Graph& graph, const Plan& plan,
                                              const Stage& stage,
                                              const std::vector<bool>& needs_gradient, LayerId id) {
  const Layer& sum = graph[id];
  if (!may_share_gradient(sum)) return std::nullopt;
  const auto [second, first] = std::minmax(sum.inputs[0], sum.inputs[1]);
  const bool both = needs_gradient[first] && needs_gradient[second] && first != second;
  if (!both || first < stage.first || graph.consumers[first].size() != 1) return std::nullopt;
  const Piece& piece = plan.pieces[id];
  const bool stays = piece.input_layout == piece.gradient_layout &&
                     plan.pieces[first].gradient_layout == piece.gradient_layout;
  if (!stays || overwrites(graph[first]) || fetches(graph, plan, first)) return std::nullopt;
  // In a second turn `first` reads it again: what is added up for `second` lies elsewhere then.
  const std::vector<LayerId>& readers = graph.consumers[second];
  const auto sums = std::count_if(readers.begin(), readers.end(), [&](LayerId reader) {
    return may_share_gradient(graph[reader]);
  });
  const bool reads_later =
      plan.pipeline().parts_backward() && graph[first].learns() && has_own_turn(graph[first]);
  if (reads_later && sums > 1) return std::nullopt;
  return SharedGradient{first, second};
}

}  // namespace oracle
