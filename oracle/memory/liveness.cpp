#include "oracle/memory/liveness.h"

#include <algorithm>

#include "oracle/memory/copies.h"

namespace oracle {
namespace {

class Walk {
 public:
  Walk(const Graph& graph, const Plan& plan, const Stage& stage)
      : graph_(graph),
        plan_(plan),
        stage_(stage),
        copies_(copies_of(graph, plan, stage)),
        births_(graph.size() + 1),
        forward_deaths_(graph.size() + 1),
        backward_deaths_(graph.size() + 1),
        gradient_(graph.size()) {
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
    for (LayerId id = std::max<LayerId>(stage_.first, 1); id < stage_.last; ++id) forward(id);
    activations_ -= forward_deaths_[stage_.last];
    receive_gradients();
    for (LayerId id = stage_.last; id-- > std::max<LayerId>(stage_.first, 1);) backward(id);
    for (LayerId id = 0; id < stage_.first; ++id) {
      gradients_ -= gradient_[id];
      activations_ -= backward_deaths_[id];
    }
    result_.left = activations_ + gradients_;
    return std::move(result_);
  }

 private:
  Bytes mask_of(LayerId id) const {
    const Piece& piece = plan_.pieces[id];
    const double outputs =
        static_cast<double>(piece.output.elements()) * static_cast<double>(piece.samples);
    return Bytes{graph_[id].mask_bytes_per_output * outputs};
  }

  void mark(LayerId id, Pass pass) {
    result_.points.push_back({id, pass, activations_, gradients_});
  }

  void forward(LayerId id) {
    activations_ += births_[id];
    mark(id, Pass::forward);
    activations_ -= forward_deaths_[id];
  }

  Bytes gradient_bytes(LayerId tensor) const {
    const double element = plan_.training.precision.activation_bytes;
    const std::int64_t elements =
        local_elements(graph_[tensor].output, plan_.micro_batch_samples(),
                       plan_.pieces[tensor].gradient_layout, plan_.degrees);
    return Bytes{element * static_cast<double>(elements)};
  }

  /// The next stage sends the gradients of all it was given; they are there before backward begins.
  void receive_gradients() {
    if (stage_.last == graph_.size()) return;
    for (LayerId id = 1; id < stage_.last; ++id) {
      if (graph_.consumers[id].back() < stage_.last) continue;
      gradient_[id] = gradient_bytes(id);
      gradients_ += gradient_[id];
    }
  }

  /// The gradients of the layer's inputs are born before its own dies; the network's input has
  /// none.
  void backward(LayerId id) {
    for (const LayerId input : graph_[id].inputs) {
      if (input == 0 || gradient_[input].value > 0) continue;
      gradient_[input] = gradient_bytes(input);
      gradients_ += gradient_[input];
    }
    mark(id, Pass::backward_data);
    gradients_ -= gradient_[id];
    gradient_[id] = Bytes{};
    activations_ -= backward_deaths_[id];
  }

  const Graph& graph_;
  const Plan& plan_;
  const Stage& stage_;
  std::vector<Copy> copies_;
  std::vector<Bytes> births_, forward_deaths_, backward_deaths_;  ///< by layer
  std::vector<Bytes> gradient_;  ///< bytes of each tensor's gradient while it is alive
  Bytes activations_, gradients_;
  Liveness result_;
};

}  // namespace

Liveness liveness(const Graph& graph, const Plan& plan, std::size_t stage) {
  return Walk(graph, plan, plan.stages[stage]).run();
}

}  // namespace oracle
