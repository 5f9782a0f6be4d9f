#include "validate/program/bind_kernel.h"

#include <utility>

#include "oracle/graph/kinds/kind.h"
#include "validate/program/parameters.h"

namespace oracle {
namespace {

/// The layer's own where an axis is not cut.
Window local_window(const Pieces& pieces, LayerId id, Pass pass, int rank) {
  Window window = pieces.graph()[id].window;
  if (!is_cut_window(pieces, id)) return window;
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (!pieces.cuts(id, s)) continue;
    const Fit fit = pieces.fit(id, pass, s, rank);
    window.pad_before[s] = fit.pad_before;
    window.pad_after[s] = fit.pad_after;
  }
  return window;
}

}  // namespace

bool is_cut_window(const Pieces& pieces, LayerId id) {
  bool cut = false;
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) cut = cut || pieces.cuts(id, s);
  return cut && pieces.graph()[id].reach == Reach::windowed;
}

AxisSet repeating_axes(const Plan& plan, LayerId id) {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < plan.degrees.size(); ++a) {
    if (plan.pieces[id].output_layout[a] == State::replicated) axes |= AxisSet{1} << a;
  }
  return axes & ~plan.pipeline_axes;
}

Region reached_input(const Pieces& pieces, LayerId id, int rank) {
  Region input = pieces.input(id, 0, rank);
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (!pieces.cuts(id, s)) continue;
    const Fit fit = pieces.fit(id, Pass::backward_data, s, rank);
    input.along[kFirstSpatial + s] = {pieces.graph()[id].transposed ? fit.narrow : fit.wide};
  }
  return input;
}

KernelSpec kernel_of(const Pieces& pieces, LayerId id, Pass pass, std::vector<Extents> inputs,
                     const Region& output, int rank) {
  const Layer& layer = pieces.graph()[id];
  KernelSpec spec;
  spec.layer.layer = &layer;
  spec.layer.groups = groups_held(layer, inputs.front().channels);
  spec.layer.inputs = std::move(inputs);
  spec.layer.output = output.extents();
  spec.layer.window = local_window(pieces, id, pass, rank);
  spec.layer.place = output.begin();
  spec.layer.positions = positions_of(output.along[kWidthAxis]);
  spec.layer.whole = pieces.whole(id).extents;
  spec.layer.whole.samples = pieces.plan().training.batch;
  spec.drops = layer.kind->name == "dropout";
  const Interval held = held_rows(pieces, id, rank);
  spec.layer.first_row = held.begin;
  spec.layer.rows = held.size();
  return spec;
}

std::vector<std::int64_t> keys_read(const Pieces& pieces, LayerId id, const Region& keys) {
  const Extents all = pieces.whole(pieces.graph()[id].inputs[1]).extents;
  if (keys.along[kWidthAxis] == Intervals{{0, all.width}}) return {};
  return positions_of(keys.along[kWidthAxis]);
}

std::unique_ptr<Layer> layer_without_bias(const Pieces& pieces, LayerId id, int rank) {
  const Layer& layer = pieces.graph()[id];
  if (layer.weights.size() < 2 || holds_bias(pieces, id, rank)) return nullptr;
  auto own = std::make_unique<Layer>(layer);
  std::erase_if(own->weights, [](const Weight& weight) { return weight.name == "bias"; });
  return own;
}

}  // namespace oracle
