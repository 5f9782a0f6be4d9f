#include "oracle/memory/copies.h"

#include <algorithm>

#include "oracle/memory/storage.h"
#include "oracle/plan/assignment.h"
#include "oracle/plan/fusion.h"

namespace oracle {
namespace {

class CopyList {
 public:
  CopyList(const Graph& graph, const Plan& plan, const Stage& stage)
      : graph_(graph), plan_(plan), stage_(stage), own_(graph.size(), kNone) {}

  std::vector<Copy> build() {
    for (LayerId id = std::max<LayerId>(stage_.first, 1); id < stage_.last; ++id) visit(id);
    return std::move(copies_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t add(LayerId tensor, const Layout& layout, LayerId born) {
    return add(tensor, layout, bytes_in(graph_, plan_, tensor, layout), born);
  }

  std::uint32_t add(LayerId tensor, const Layout& layout, Bytes bytes, LayerId born) {
    copies_.push_back({tensor, layout, bytes, born, born, false, 0});
    return static_cast<std::uint32_t>(copies_.size() - 1);
  }

  /// The producer's own copy; one that came from an earlier stage is born with its first reader.
  std::uint32_t own_copy(LayerId tensor, LayerId reader) {
    if (own_[tensor] == kNone) {
      own_[tensor] = add(tensor, plan_.pieces[tensor].output_layout, reader);
    }
    return own_[tensor];
  }

  std::uint32_t copy_in(LayerId tensor, const Layout& layout, LayerId reader) {
    const std::uint32_t own = own_copy(tensor, reader);
    if (plan_.pieces[tensor].output_layout == layout) return own;
    copies_[own].last_forward = std::max(copies_[own].last_forward, reader);
    for (std::uint32_t c = own + 1; c < copies_.size(); ++c) {  // made after the producer's own
      if (copies_[c].tensor == tensor && copies_[c].layout == layout) return c;
    }
    return add(tensor, layout, reader);
  }

  /// `copy` with the halos that the layer reads, or itself.
  std::uint32_t with_halos(std::uint32_t copy, LayerId reader) {
    const Bytes bytes = bytes_with_halos(graph_, plan_, reader, Pass::forward);
    if (bytes.value == 0) return copy;
    return add(kNoTensor, copies_[copy].layout, bytes, reader);
  }

  void keep(Copy& copy, LayerId for_backward_of) {
    copy.last_backward =
        copy.kept ? std::min(copy.last_backward, for_backward_of) : for_backward_of;
    copy.kept = true;
  }

  /// True where nobody but the layer itself needs what it would overwrite.
  bool may_overwrite(LayerId id, LayerId input) const {
    const bool kept_by_consumer =
        std::any_of(graph_.consumers[input].begin(), graph_.consumers[input].end(),
                    [&](LayerId consumer) { return graph_[consumer].keeps_input; });
    return input != 0 && graph_.consumers[input].back() == id &&
           !keeps_output(graph_, plan_, input) && !kept_by_consumer;
  }

  void visit(LayerId id) {
    const Layer& layer = graph_[id];
    std::uint32_t first_input = kNone;
    for (const LayerId input : layer.inputs) {
      std::uint32_t c = copy_in(input, plan_.pieces[id].input_layout, id);
      copies_[c].last_forward = std::max(copies_[c].last_forward, id);
      if (first_input == kNone) {
        c = with_halos(c, id);
        first_input = c;
      }
      if (layer.keeps_input) keep(copies_[c], id);
    }
    const bool looks_only = layer.in_place && layer.of(Pass::forward).output_touches == 0;
    const bool shares =
        layer.in_place && copies_[first_input].bytes == bytes_in(graph_, plan_, id, own_layout(id));
    if (shares && (looks_only || may_overwrite(id, layer.inputs[0]))) {
      own_[id] = first_input;
    } else {
      own_[id] = add(id, own_layout(id), id);
    }
    Copy& own = copies_[own_[id]];
    if (keeps_output(graph_, plan_, id)) keep(own, id);
    const bool leaves = stage_.last < graph_.size() && !graph_.consumers[id].empty() &&
                        graph_.consumers[id].back() >= stage_.last;
    if (leaves) own.last_forward = stage_.last;
  }

  const Layout& own_layout(LayerId id) const { return plan_.pieces[id].output_layout; }

  const Graph& graph_;
  const Plan& plan_;
  const Stage& stage_;
  std::vector<std::uint32_t> own_;  ///< index of each tensor's own copy
  std::vector<Copy> copies_;
};

/// `elements` of a layer's output in a layout, once its channels fill whole blocks.
std::int64_t in_blocks(std::int64_t elements, const Layer& layer, const Plan& plan,
                       const Layout& layout) {
  if (plan.channel_block == 1) return elements;
  Shape of_channels;
  of_channels[Axis::channel] = layer.output.channels();
  const std::int64_t channels = local_elements(of_channels, 1, layout, plan.degrees, layer.grain);
  return elements / channels * stored_channels(channels, layer.output, plan.channel_block);
}

}  // namespace

Bytes bytes_in(const Graph& graph, const Plan& plan, LayerId tensor, const Layout& layout) {
  const Layer& layer = graph[tensor];
  std::int64_t elements =
      local_elements(layer.output, plan.micro_batch_samples(), layout, plan.degrees, layer.grain);
  if (tensor != 0) elements = in_blocks(elements, layer, plan, layout);
  return Bytes{value_bytes(graph, tensor, plan.training.precision) * static_cast<double>(elements)};
}

Bytes bytes_with_halos(const Graph& graph, const Plan& plan, LayerId id, Pass pass) {
  const Piece& piece = plan.pieces[id];
  const bool forward = pass == Pass::forward;
  Shape extents = forward ? piece.input : piece.output;
  bool comes = false;
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    std::int64_t degree = 1;
    for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
      if (spatial_axis_of(piece.input_layout[a]) == static_cast<int>(s)) degree *= plan.degrees[a];
    }
    if (degree == 1) continue;
    const Halo halo =
        forward ? forward_halo(graph[id], s, degree) : backward_halo(graph[id], s, degree);
    if (halo.sent == 0) continue;
    extents[kSpatialAxes[s]] = halo.held;
    comes = true;
  }
  if (!comes) return {};
  const bool of_input = forward && graph[id].inputs.front() == 0;
  std::int64_t& channels = extents[Axis::channel];
  if (!of_input) channels = stored_channels(channels, extents, plan.channel_block);
  const auto elements = static_cast<double>(extents.elements() * piece.samples);
  return Bytes{plan.training.precision.activation_bytes * elements};
}

std::vector<Copy> copies_of(const Graph& graph, const Plan& plan, const Stage& stage) {
  return CopyList(graph, plan, stage).build();
}

}  // namespace oracle
