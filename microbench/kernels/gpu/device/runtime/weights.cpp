#include "microbench/kernels/gpu/device/runtime/weights.h"

#include <utility>
#include <vector>

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// Of a normalization, whose passes read the values themselves.
bool normalizes(const Weight& weight) { return weight.name == "gamma" || weight.name == "beta"; }

/// Of a parameter: what is no filter is whole, or the part of the features that are here.
FilterShape shape_of(const LocalLayer& layer, std::size_t index) {
  if (layer.layer->has_filters() && index == 0) return filter_shape(layer);
  const Weight& weight = layer.layer->weights[index];
  if (layer.rows > 0) return {weight.elements / weight.features_out * layer.rows, 1, 1};
  if (layer.layer->looks_up || weight.features_out == 1) return {weight.elements, 1, 1};
  return {weight.elements / weight.features_out * layer.output.channels, 1, 1};
}

}  // namespace

FilterShape filter_shape(const LocalLayer& layer) {
  const std::int64_t wide =
      layer.layer->transposed ? layer.output.channels : layer.inputs[0].channels;
  const std::int64_t filters =
      layer.layer->transposed ? layer.inputs[0].channels : layer.output.channels;
  ensure(filters % layer.groups == 0 && wide % layer.groups == 0,
         "a part of a grouped convolution holds a fraction of a group");
  return {filters, wide / layer.groups, layer.window.volume()};
}

GpuWeights::GpuWeights(Context& context, const LocalLayer& layer) : context_(context) {
  for (std::size_t index = 0; index < layer.layer->weights.size(); ++index) {
    Parameter parameter;
    parameter.shape = shape_of(layer, index);
    const std::int64_t count = parameter.shape.elements();
    parameter.value = zeros(count, Element::fp32);
    parameter.gradient = zeros(count, context.element());
    if (!normalizes(layer.layer->weights[index]) && context.element() != Element::fp32) {
      parameter.copy = zeros(count, context.element());
    }
    parameters_.push_back(std::move(parameter));
  }
}

Block GpuWeights::zeros(std::int64_t count, Element type) {
  Block block = context_.values(count, type);
  context_.zero(block.data(), block.bytes());
  return block;
}

template <class T>
void GpuWeights::to_plain(const FilterShape& s, const Block& from, void* to) const {
  if (s.positions == 1 || s.channels == 1) {
    context_.copy(to, from.data(), from.bytes());
    return;
  }
  Block plain;
  auto* values = static_cast<T*>(to);
  if (context_.on_host(to)) {
    plain = context_.allocate(from.bytes());
    values = plain.as<T>();
  }
  to_channels_first(context_.stream(), from.as<T>(), s.filters, s.channels, s.positions, values);
  if (context_.on_host(to)) context_.copy(to, plain.data(), plain.bytes());
}

template <class T>
void GpuWeights::from_plain(const FilterShape& s, const void* from, const Block& to) {
  if (s.positions == 1 || s.channels == 1) {
    context_.copy(to.data(), from, to.bytes());
    return;
  }
  Block plain;
  const auto* values = static_cast<const T*>(from);
  if (context_.on_host(from)) {
    plain = context_.allocate(to.bytes());
    context_.copy(plain.data(), from, plain.bytes());
    values = plain.as<T>();
  }
  to_channels_last(context_.stream(), values, s.filters, s.channels, s.positions, to.as<T>());
}

void GpuWeights::read(std::size_t index, void* to) const {
  to_plain<float>(parameters_.at(index).shape, parameters_.at(index).value, to);
}

void GpuWeights::write(std::size_t index, const void* from) {
  const Parameter& parameter = parameters_.at(index);
  from_plain<float>(parameter.shape, from, parameter.value);
  if (parameter.copy.data() == nullptr) return;
  with_type(context_.element(), [&](auto type) {
    using T = typename decltype(type)::Of;
    store(context_.stream(), parameter.value.floats(), parameter.copy.as<T>(),
          parameter.shape.elements(), false);
  });
}

void GpuWeights::read_gradient(std::size_t index, void* to) const {
  const Parameter& parameter = parameters_.at(index);
  const std::int64_t count = parameter.shape.elements();
  if (context_.element() == Element::fp32) return pack_gradient(index, to);
  const Block widened = context_.floats(count);
  with_type(context_.element(), [&](auto type) {
    using T = typename decltype(type)::Of;
    store(context_.stream(), parameter.gradient.as<T>(), widened.floats(), count, false);
  });
  to_plain<float>(parameter.shape, widened, to);
}

void GpuWeights::write_gradient(std::size_t index, const void* from) {
  const Parameter& parameter = parameters_.at(index);
  const std::int64_t count = parameter.shape.elements();
  if (context_.element() == Element::fp32) return unpack_gradient(index, from);
  const Block given = context_.floats(count);
  from_plain<float>(parameter.shape, from, given);
  with_type(context_.element(), [&](auto type) {
    using T = typename decltype(type)::Of;
    store(context_.stream(), given.floats(), parameter.gradient.as<T>(), count, false);
  });
  wrote(index);
}

void GpuWeights::read_moment(std::size_t index, Moment moment, void* to) const {
  const Parameter& parameter = parameters_.at(index);
  const Block& block = parameter.of(moment);
  if (block.data() != nullptr) return to_plain<float>(parameter.shape, block, to);
  const std::vector<float> zeros(static_cast<std::size_t>(parameter.shape.elements()));
  context_.copy(to, zeros.data(), static_cast<std::int64_t>(zeros.size() * sizeof(float)));
}

void GpuWeights::write_moment(std::size_t index, Moment moment, const void* from) {
  Parameter& parameter = parameters_.at(index);
  Block& block = parameter.of(moment);
  if (block.data() == nullptr) block = zeros(parameter.shape.elements(), Element::fp32);
  from_plain<float>(parameter.shape, from, block);
}

void GpuWeights::pack_gradient(std::size_t index, void* to) const {
  const Parameter& parameter = parameters_.at(index);
  with_type(context_.element(), [&](auto type) {
    to_plain<typename decltype(type)::Of>(parameter.shape, parameter.gradient, to);
  });
}

void GpuWeights::unpack_gradient(std::size_t index, const void* from) {
  const Parameter& parameter = parameters_.at(index);
  with_type(context_.element(), [&](auto type) {
    from_plain<typename decltype(type)::Of>(parameter.shape, from, parameter.gradient);
  });
  wrote(index);
}

void GpuWeights::begin_step() {
  for (Parameter& parameter : parameters_) parameter.accumulates = false;
}

template <class T>
void GpuWeights::update(Parameter& parameter, const OptimizerStep& step) {
  const bool adam = step.second_moment > 0;
  const std::int64_t count = parameter.shape.elements();
  if ((adam || step.momentum > 0) && parameter.first_moment.data() == nullptr) {
    parameter.first_moment = zeros(count, Element::fp32);
  }
  if (adam && parameter.second_moment.data() == nullptr) {
    parameter.second_moment = zeros(count, Element::fp32);
  }
  float* value = parameter.value.floats();
  T* copy = parameter.copy.as<T>();
  const T* gradient = parameter.gradient.as<T>();
  const Update* by = context_.step().update(step);
  if (adam) {
    adam_step(context_.stream(), value, copy, parameter.first_moment.floats(),
              parameter.second_moment.floats(), gradient, by, count);
  } else if (step.momentum > 0) {
    momentum_step(context_.stream(), value, copy, parameter.first_moment.floats(), gradient, by,
                  count);
  } else {
    descent_step(context_.stream(), value, copy, gradient, by, count);
  }
}

void GpuWeights::find_not_finite(std::int32_t* found) const {
  with_type(context_.element(), [&](auto type) {
    using T = typename decltype(type)::Of;
    for (const Parameter& parameter : parameters_) {
      gpu::find_not_finite(context_.stream(), parameter.gradient.as<T>(),
                           parameter.shape.elements(), found);
    }
  });
}

void GpuWeights::update(const OptimizerStep& step) {
  with_type(context_.element(), [&](auto type) {
    for (Parameter& parameter : parameters_) update<typename decltype(type)::Of>(parameter, step);
  });
}

GpuWeights& gpu(Weights* weights) {
  auto* found = dynamic_cast<GpuWeights*>(weights);
  ensure(found != nullptr, "a kernel's weights are missing or another back end's");
  return *found;
}

}  // namespace oracle::gpu
