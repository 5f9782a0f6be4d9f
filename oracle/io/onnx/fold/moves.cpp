// The same elements elsewhere: views, parts and joins.

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/graph/limits.h"
#include "oracle/io/onnx/fold/fold.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {
namespace {

/// A tensor whose elements are some of `from`; `place` says which, by their places in it.
template <typename Place>
Tensor moved(const Call& call, const Tensor& from, Integers dims, const Place& place) {
  Tensor result = computed(call, std::move(dims), from.real);
  result.sources = from.sources;
  const std::int64_t count = elements_of(result.dims);
  if (count > static_cast<std::int64_t>(kMostKept)) return result;
  const auto take = [&](const auto& values, auto& taken) {
    if (!values) return;
    taken.emplace();
    for (std::int64_t i = 0; i < count; ++i) {
      taken->push_back((*values)[static_cast<std::size_t>(place(i))]);
    }
  };
  take(from.integers, result.integers);
  take(from.reals, result.reals);
  return result;
}

Tensor viewed(const Tensor& from, Integers dims) {
  Tensor result = from;
  result.dims = std::move(dims);
  return result;
}

/// The places of a tensor along its axes, of a flat one.
Integers unflattened(std::int64_t at, const Integers& dims) {
  Integers places(dims.size(), 0);
  for (std::size_t i = dims.size(); i-- > 0;) {
    places[i] = at % dims[i];
    at /= dims[i];
  }
  return places;
}

std::int64_t flattened(const Integers& places, const Integers& dims) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i < dims.size(); ++i) at = at * dims[i] + places[i];
  return at;
}

Tensor part_of(const Call& call, const Tensor& from, const std::vector<Taken>& taken) {
  Integers dims;
  for (const Taken& each : taken) dims.push_back(each.count);
  const Integers made = dims;
  return moved(call, from, std::move(dims), [&](std::int64_t at) {
    Integers places = unflattened(at, made);
    for (std::size_t i = 0; i < taken.size(); ++i) {
      places[i] = taken[i].first + places[i] * taken[i].step;
    }
    return flattened(places, from.dims);
  });
}

}  // namespace

std::vector<Tensor> fold_same(const Call& call) { return {call.input(0)}; }

std::vector<Tensor> fold_reshape(const Call& call) {
  const bool zero_is_zero = integer_of(call.node, "allowzero", 0) != 0;
  return {
      viewed(call.input(0), reshape_of(call.listed(1, "shape"), call.input(0).dims, zero_is_zero))};
}

std::vector<Tensor> fold_flatten(const Call& call) {
  const Tensor& from = call.input(0);
  return {viewed(from, flatten_of(from.dims, flatten_axis(call.node, from.dims.size())))};
}

std::vector<Tensor> fold_squeeze(const Call& call) {
  const Tensor& from = call.input(0);
  std::vector<std::size_t> axes = call.axes(1, from.dims.size());
  for (std::size_t i = 0; i < from.dims.size() && axes.size() < from.dims.size(); ++i) {
    if (call.has(1) || call.node.find("axes") != nullptr) break;
    if (from.dims[i] == 1) axes.push_back(i);
  }
  for (const std::size_t axis : axes) {
    if (from.dims[axis] != 1) throw InputError("", "it drops an axis that is longer than 1");
  }
  return {viewed(from, reduced(from.dims, axes, false))};
}

std::vector<Tensor> fold_unsqueeze(const Call& call) {
  Integers dims = call.input(0).dims;
  const std::size_t more = call.listed(1, "axes").size();
  for (const std::size_t axis : call.axes(1, dims.size() + more)) {
    dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(std::min(axis, dims.size())), 1);
  }
  return {viewed(call.input(0), std::move(dims))};
}

std::vector<Tensor> fold_transpose(const Call& call) {
  const Tensor& from = call.input(0);
  const std::vector<std::size_t> order = order_of(call.node, from.dims.size());
  Integers dims;
  for (const std::size_t axis : order) dims.push_back(from.dims[axis]);
  const Integers made = dims;
  return {moved(call, from, std::move(dims), [&](std::int64_t at) {
    const Integers places = unflattened(at, made);
    Integers of_input(places.size(), 0);
    for (std::size_t i = 0; i < order.size(); ++i) of_input[order[i]] = places[i];
    return flattened(of_input, from.dims);
  })};
}

std::vector<Tensor> fold_slice(const Call& call) {
  const Tensor& from = call.input(0);
  return {part_of(call, from,
                  slice_of(from.dims, call.listed(1, "starts"), call.listed(2, "ends"),
                           call.listed(3, "axes"), call.listed(4, "steps")))};
}

std::vector<Tensor> fold_gather(const Call& call) {
  const Tensor &from = call.input(0), &taken = call.input(1);
  const std::size_t axis = axis_of(integer_of(call.node, "axis", 0), from.dims.size());
  Integers dims = from.dims;
  const auto at_axis = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  dims.insert(dims.erase(at_axis), taken.dims.begin(), taken.dims.end());
  if (!taken.integers) {
    Tensor result = computed(call, std::move(dims), from.real);
    result.sources = from.sources;
    return {std::move(result)};
  }
  for (const std::int64_t each : *taken.integers) {
    const std::int64_t extent = from.dims[axis];
    if (each < -extent || each >= extent) {
      throw InputError("", "it takes place " + std::to_string(each) + " of an axis of " +
                               std::to_string(extent));
    }
  }
  const Integers made = dims;
  return {moved(call, from, std::move(dims), [&](std::int64_t at) {
    const Integers places = unflattened(at, made);
    Integers of_taken(places.begin() + static_cast<std::ptrdiff_t>(axis),
                      places.begin() + static_cast<std::ptrdiff_t>(axis + taken.dims.size()));
    const std::int64_t place =
        (*taken.integers)[static_cast<std::size_t>(flattened(of_taken, taken.dims))];
    Integers of_input(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(axis));
    of_input.push_back(place < 0 ? place + from.dims[axis] : place);
    of_input.insert(of_input.end(),
                    places.begin() + static_cast<std::ptrdiff_t>(axis + taken.dims.size()),
                    places.end());
    return flattened(of_input, from.dims);
  })};
}

std::vector<Tensor> fold_concat(const Call& call) {
  const Tensor& first = call.input(0);
  const std::size_t axis = axis_of(integer_of(call.node, "axis", 1), first.dims.size());
  Integers dims = first.dims;
  Integers begins = {0};
  bool integers = true, reals = true;
  for (std::size_t i = 0; i < call.inputs.size(); ++i) {
    const Tensor& piece = call.input(i);
    Integers alike = piece.dims;
    if (alike.size() != dims.size()) throw InputError("", "its inputs differ in their axes");
    alike[axis] = first.dims[axis];
    if (alike != first.dims) throw InputError("", "its inputs differ in more than one axis");
    begins.push_back(bounded_product({begins.back() + piece.dims[axis]}, "its output"));
    integers = integers && piece.integers;
    reals = reals && piece.reals;
  }
  dims[axis] = begins.back();
  Tensor result = computed(call, std::move(dims), first.real);
  const std::int64_t count = elements_of(result.dims);
  if (count > static_cast<std::int64_t>(kMostKept) || !(integers || reals)) return {result};
  if (integers) result.integers = Integers();
  if (reals) result.reals = Reals();
  for (std::int64_t at = 0; at < count; ++at) {
    Integers places = unflattened(at, result.dims);
    std::size_t piece = 0;
    while (places[axis] >= begins[piece + 1]) ++piece;
    places[axis] -= begins[piece];
    const auto from = static_cast<std::size_t>(flattened(places, call.inputs[piece]->dims));
    if (integers) result.integers->push_back((*call.inputs[piece]->integers)[from]);
    if (reals) result.reals->push_back((*call.inputs[piece]->reals)[from]);
  }
  return {std::move(result)};
}

std::vector<Tensor> fold_split(const Call& call) {
  const Tensor& from = call.input(0);
  const std::size_t axis = axis_of(integer_of(call.node, "axis", 0), from.dims.size());
  std::vector<Tensor> parts;
  std::int64_t begin = 0;
  for (const std::int64_t part :
       split_of(from.dims[axis], call.listed(1, "split"), call.node.outputs.size())) {
    std::vector<Taken> taken;
    for (const std::int64_t extent : from.dims) taken.push_back({0, extent, 1});
    taken[axis] = {begin, part, 1};
    parts.push_back(part_of(call, from, taken));
    begin += part;
  }
  return parts;
}

std::vector<Tensor> fold_expand(const Call& call) {
  const Tensor& from = call.input(0);
  const Integers dims = broadcast(from.dims, call.integers(1));
  return {moved(call, from, dims, [&](std::int64_t at) {
    const Integers places = unflattened(at, dims);
    Integers of_input;
    for (std::size_t i = 0; i < from.dims.size(); ++i) {
      const std::int64_t place = places[dims.size() - from.dims.size() + i];
      of_input.push_back(from.dims[i] == 1 ? 0 : place);
    }
    return flattened(of_input, from.dims);
  })};
}

std::vector<Tensor> fold_tile(const Call& call) {
  const Tensor& from = call.input(0);
  const Integers& times = call.integers(1);
  if (times.size() != from.dims.size()) throw InputError("", "its repeats do not fit its input");
  Integers dims;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i] < 0) throw InputError("", "it repeats an axis less than no time");
    dims.push_back(bounded_product({from.dims[i], times[i]}, "its output"));
  }
  const Integers made = dims;
  return {moved(call, from, std::move(dims), [&](std::int64_t at) {
    Integers places = unflattened(at, made);
    for (std::size_t i = 0; i < places.size(); ++i) places[i] %= from.dims[i];
    return flattened(places, from.dims);
  })};
}

std::vector<Tensor> fold_pad(const Call& call) {
  const Tensor& from = call.input(0);
  const Integers pads = call.listed(1, "pads");
  const std::size_t rank = from.dims.size();
  if (pads.size() != 2 * rank) throw InputError("", "its padding is not given for each axis");
  Integers dims = from.dims;
  for (std::size_t i = 0; i < rank; ++i) {
    for (const std::int64_t pad : {pads[i], pads[rank + i]}) {
      if (pad < -kMostExtent || pad > kMostExtent)
        throw InputError("", "its padding is out of range");
      dims[i] += pad;
    }
  }
  Tensor result = computed(call, std::move(dims), from.real);
  result.sources = from.sources;
  return {std::move(result)};
}

}  // namespace oracle::onnx
