#include "validate/program/parameters.h"

#include "oracle/base/error.h"

namespace oracle {
namespace {

template <typename Chosen>
AxisSet axes_where(const Pieces& pieces, LayerId id, Chosen chosen) {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < pieces.plan().degrees.size(); ++a) {
    if (chosen(pieces.assignment().effects[id][a])) axes |= AxisSet{1} << a;
  }
  return axes;
}

Interval channels_of(const Region& region) {
  ensure(region.along[kChannelAxis].size() == 1, "the channels of a layer's piece are contiguous");
  return region.along[kChannelAxis].front();
}

/// The part of `all` that a rank has where some axes cut it, numbered as those of features are.
template <typename Cuts>
Interval part_of(const Pieces& pieces, LayerId id, int rank, std::int64_t all, Cuts cuts) {
  Layout layout{};
  for (std::size_t a = 0; a < pieces.plan().degrees.size(); ++a) {
    if (cuts(pieces.effects(id)[a])) layout[a] = State::channel;
  }
  Whole whole;
  whole.extents.channels = all;
  return channels_of(region_of(whole, layout, pieces.mesh(), rank));
}

ParameterSlice matrix_slice(const Pieces& pieces, LayerId id, int rank) {
  const Layer& layer = pieces.graph()[id];
  const std::int64_t filters = layer.output.channels(), channels = layer.input.channels();
  const Interval out = channels_of(pieces.output(id, rank));
  const Interval in = channels_of(pieces.input(id, 0, rank));
  ParameterSlice slice;
  slice.inner = layer.window.volume();
  slice.whole_rows = layer.transposed ? channels : filters;
  slice.whole_columns = (layer.transposed ? filters : channels) / layer.groups;
  slice.rows = layer.transposed ? in : out;
  slice.columns = layer.transposed ? out : in;
  if (layer.routed == Routed::expert) slice.matrices = held_rows(pieces, id, rank);
  // A cut of groups takes whole groups.
  if (layer.groups > 1) slice.columns = {0, slice.whole_columns};
  return slice;
}

/// Whole rows of a table that is looked up.
ParameterSlice row_slice(const Pieces& pieces, LayerId id, const Weight& weight, int rank) {
  ParameterSlice slice;
  slice.columns = {0, 1};
  slice.whole_rows = weight.features_out;
  slice.inner = weight.elements / weight.features_out;
  slice.rows = held_rows(pieces, id, rank);
  return slice;
}

/// Some elements for each feature; all of them where features do not cut them.
ParameterSlice feature_slice(const Pieces& pieces, LayerId id, const Weight& weight, int rank) {
  ParameterSlice slice;
  slice.columns = {0, 1};
  slice.whole_rows = weight.features_out;
  slice.inner = weight.elements / slice.whole_rows;
  slice.rows = {0, 1};
  if (weight.features_out == 1) return slice;
  // Of heads a feature of the weight is several channels.
  const Interval channels = channels_of(pieces.output(id, rank));
  const std::int64_t all = pieces.graph()[id].output.channels();
  slice.rows = {channels.begin * weight.features_out / all,
                channels.end * weight.features_out / all};
  return slice;
}

}  // namespace

std::int64_t ParameterSlice::global_index(std::int64_t local) const {
  const std::int64_t k = local % inner, pair = local / inner;
  const std::int64_t column = columns.begin + pair % columns.size(), line = pair / columns.size();
  const std::int64_t row = rows.begin + line % rows.size();
  const std::int64_t matrix = matrices.begin + line / rows.size();
  return ((matrix * whole_rows + row) * whole_columns + column) * inner + k;
}

bool holds_bias(const Pieces& pieces, LayerId id, int rank) {
  const AxisSet summed = axes_where(
      pieces, id, [](const CutEffect& effect) { return effect.output == State::partial; });
  return pieces.mesh().number(rank, summed) == 0;
}

std::int64_t groups_held(const Layer& layer, std::int64_t channels) {
  const std::int64_t all = layer.input.channels();
  if (layer.groups == 1 || layer.heads.keys > 0) return 1;
  if (layer.groups * channels % all == 0) return layer.groups * channels / all;
  throw InputError("layer " + layer.name, "its groups cannot be split evenly over the ranks",
                   "shard its features over fewer ranks");
}

Interval held_rows(const Pieces& pieces, LayerId id, int rank) {
  const Layer& layer = pieces.graph()[id];
  if (layer.routed == Routed::expert) {
    return part_of(pieces, id, rank, layer.experts,
                   [](const CutEffect& effect) { return effect.cuts_experts; });
  }
  if (layer.feature_sums > 0) return channels_of(pieces.input(id, 0, rank));
  if (!layer.looks_up) return {};
  return part_of(pieces, id, rank, layer.weights.front().features_out,
                 [](const CutEffect& effect) { return effect.cuts_filters; });
}

std::vector<ParameterSlice> parameter_slices(const Pieces& pieces, LayerId id, int rank) {
  const Layer& layer = pieces.graph()[id];
  std::vector<ParameterSlice> slices;
  for (const Weight& weight : layer.weights) {
    if (weight.name == "weight" && layer.has_filters()) {
      slices.push_back(matrix_slice(pieces, id, rank));
      continue;
    }
    if (weight.name == "bias" && !holds_bias(pieces, id, rank)) continue;
    slices.push_back(layer.looks_up ? row_slice(pieces, id, weight, rank)
                                    : feature_slice(pieces, id, weight, rank));
  }
  return slices;
}

}  // namespace oracle
