// Kernels of a rank's pieces.

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "validate/program/binder.h"
#include "validate/program/parameters.h"

namespace oracle {

const Layer* Binder::layer_as_run(LayerId id) {
  const Layer& whole = layer(id);
  if (whole.weights.size() < 2 || holds_bias(pieces_, id, program_.rank)) return &whole;
  auto own = std::make_unique<Layer>(whole);
  std::erase_if(own->weights, [](const Weight& weight) { return weight.name == "bias"; });
  program_.own_layers.push_back(std::move(own));
  return program_.own_layers.back().get();
}

std::int64_t Binder::local_groups(const Layer& whole, std::int64_t channels) const {
  const std::int64_t all = whole.input.channels();
  if (whole.groups == 1) return 1;
  if (whole.groups * channels % all == 0) return whole.groups * channels / all;
  throw InputError("layer " + whole.name, "its groups cannot be cut into equal parts by the ranks",
                   "cut its features over fewer ranks");
}

std::uint32_t Binder::add_kernel(LayerId id, std::vector<Extents> inputs, const Region& output,
                                 const Window& window) {
  const std::int64_t batch = pieces_.plan().training.batch;
  KernelSpec spec;
  spec.layer.layer = layer_as_run(id);
  spec.layer.groups = local_groups(layer(id), inputs.front().channels);
  spec.layer.inputs = std::move(inputs);
  spec.layer.output = output.extents();
  spec.layer.window = window;
  spec.layer.place = output.begin();
  spec.layer.whole = pieces_.whole(id).extents;
  spec.layer.whole.samples = batch;
  spec.drops = layer(id).mask_bytes_per_output > 0;
  program_.kernels.push_back(std::move(spec));
  return static_cast<std::uint32_t>(program_.kernels.size() - 1);
}

/// The layer's own where an axis is not cut.
Window Binder::local_window(LayerId id, Pass pass) const {
  Window window = layer(id).window;
  if (layer(id).reach != Reach::windowed) return window;
  for (std::size_t s = 0; s < kSpatialAxes.size(); ++s) {
    if (!pieces_.cuts(id, s)) continue;
    const Fit fit = pieces_.fit(id, pass, s, program_.rank);
    window.pad_before[s] = fit.pad_before;
    window.pad_after[s] = fit.pad_after;
  }
  return window;
}

StatisticsSum Binder::sum_statistics(LayerId id) {
  StatisticsSum sum;
  sum.axes = statistics_axes(layer(id), pieces_.effects(id), pieces_.plan().strategy.batch_norm);
  if (sum.axes == 0) return sum;
  sum.item = next_transfer(Collective::all_reduce, id);
  for (const int member : pieces_.mesh().group_of(program_.rank, sum.axes)) {
    const Extents extents = pieces_.output(id, member).extents();
    const std::int64_t values = extents.elements() / extents.channels;
    sum.count += static_cast<double>(values);
  }
  return sum;
}

}  // namespace oracle
