#include "microbench/kernels/cpu/weight_format.h"

#include <functional>
#include <numeric>
#include <string_view>

#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/routing.h"
#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

using dnnl::memory;

/// Strides of `dims` with the last one innermost.
memory::dims dense_strides(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i > 0; --i) strides[i - 1] = strides[i] * dims[i];
  return strides;
}

/// A transposed convolution's weight lies with its input channels outermost.
memory::dims transposed_strides(const memory::dims& dims, bool grouped) {
  const std::size_t filter = grouped ? 1 : 0;
  memory::dims order = dims;
  std::swap(order[filter], order[filter + 1]);
  memory::dims strides = dense_strides(order);
  std::swap(strides[filter], strides[filter + 1]);
  return strides;
}

/// Of a parameter that is no contraction's: whole, or the part of the filters that are here.
std::int64_t elements_of(const LocalLayer& layer, std::size_t index) {
  const Weight& weight = layer.layer->weights[index];
  if (layer.rows > 0) return weight.elements / weight.features_out * layer.rows;
  if (layer.layer->looks_up || weight.features_out == 1) return weight.elements;
  const std::int64_t features =
      weight.features_out * layer.output.channels / layer.layer->output.channels();
  return weight.elements / weight.features_out * features;
}

}  // namespace

bool is_matrix_product(const LocalLayer& layer) {
  const Extents& input = layer.inputs[0];
  return layer.layer->kind->name == "dense" && input.depth * input.height * input.width == 1;
}

memory::dims weight_dims(const LocalLayer& layer) {
  const std::int64_t filters = layer.output.channels;
  const std::int64_t channels = layer.inputs[0].channels;
  ensure(filters % layer.groups == 0 && channels % layer.groups == 0,
         "a part of a grouped convolution holds a fraction of a group");
  if (layer.layer->routed == Routed::expert) return {experts_of(layer), filters, channels};
  if (is_matrix_product(layer)) return {filters, channels};
  memory::dims dims{filters / layer.groups, channels / layer.groups};
  if (layer.groups > 1) dims.insert(dims.begin(), layer.groups);
  const std::size_t rank = rank_of(*layer.layer);
  dims.insert(dims.end(), layer.window.kernel.end() - static_cast<std::ptrdiff_t>(rank),
              layer.window.kernel.end());
  return dims;
}

memory::desc plain_weight(const LocalLayer& layer, std::size_t index) {
  if (!layer.layer->has_filters() || index > 0) {
    return {{elements_of(layer, index)}, memory::data_type::f32, memory::format_tag::a};
  }
  const memory::dims dims = weight_dims(layer);
  return {
      dims, memory::data_type::f32,
      layer.layer->transposed ? transposed_strides(dims, layer.groups > 1) : dense_strides(dims)};
}

}  // namespace oracle
