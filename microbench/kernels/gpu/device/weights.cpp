#include "microbench/kernels/gpu/device/weights.h"

#include <cmath>
#include <utility>

#include "microbench/kernels/gpu/device/boxes.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

Adam adam_of(const OptimizerStep& step) {
  const auto steps = static_cast<double>(step.step);
  return {.rate = static_cast<float>(step.rate / (1 - std::pow(step.momentum, steps))),
          .first_decay = static_cast<float>(step.momentum),
          .first_weight = static_cast<float>(1 - step.momentum),
          .second_decay = static_cast<float>(step.second_moment),
          .second_weight = static_cast<float>(1 - step.second_moment),
          .second_scale = static_cast<float>(1 / (1 - std::pow(step.second_moment, steps))),
          .epsilon = static_cast<float>(step.epsilon)};
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
  const bool contraction = layer.layer->reduction > 0;
  for (std::size_t index = 0; index < layer.layer->weights.size(); ++index) {
    Parameter parameter;
    parameter.shape =
        contraction && index == 0 ? filter_shape(layer) : FilterShape{layer.output.channels, 1, 1};
    parameter.value = zeros(parameter.shape.elements());
    parameter.gradient = zeros(parameter.shape.elements());
    parameters_.push_back(std::move(parameter));
  }
}

Block GpuWeights::zeros(std::int64_t count) {
  Block block = context_.floats(count);
  context_.zero(block.data(), block.bytes());
  return block;
}

void GpuWeights::to_plain(const Parameter& parameter, const Block& from, void* to) const {
  const FilterShape& s = parameter.shape;
  if (s.positions == 1 || s.channels == 1) {
    context_.copy(to, from.data(), from.bytes());
    return;
  }
  if (!Context::on_host(to)) {
    to_channels_first(context_.stream(), from.floats(), s.filters, s.channels, s.positions,
                      static_cast<float*>(to));
    return;
  }
  const Block plain = context_.floats(s.elements());
  to_channels_first(context_.stream(), from.floats(), s.filters, s.channels, s.positions,
                    plain.floats());
  context_.copy(to, plain.data(), plain.bytes());
}

void GpuWeights::from_plain(const Parameter& parameter, const void* from, const Block& to) {
  const FilterShape& s = parameter.shape;
  if (s.positions == 1 || s.channels == 1) {
    context_.copy(to.data(), from, to.bytes());
    return;
  }
  Block plain;
  const auto* values = static_cast<const float*>(from);
  if (Context::on_host(from)) {
    plain = context_.floats(s.elements());
    context_.copy(plain.data(), from, plain.bytes());
    values = plain.floats();
  }
  to_channels_last(context_.stream(), values, s.filters, s.channels, s.positions, to.floats());
}

void GpuWeights::read(std::size_t index, void* to) const {
  to_plain(parameters_.at(index), parameters_.at(index).value, to);
}

void GpuWeights::write(std::size_t index, const void* from) {
  from_plain(parameters_.at(index), from, parameters_.at(index).value);
}

void GpuWeights::read_gradient(std::size_t index, void* to) const {
  to_plain(parameters_.at(index), parameters_.at(index).gradient, to);
}

void GpuWeights::write_gradient(std::size_t index, const void* from) {
  from_plain(parameters_.at(index), from, parameters_.at(index).gradient);
  wrote(index);
}

void GpuWeights::begin_step() {
  for (Parameter& parameter : parameters_) parameter.accumulates = false;
}

void GpuWeights::update(const OptimizerStep& step) {
  const bool adam = step.second_moment > 0;
  for (Parameter& parameter : parameters_) {
    const std::int64_t count = parameter.shape.elements();
    if ((adam || step.momentum > 0) && parameter.first_moment.data() == nullptr) {
      parameter.first_moment = zeros(count);
    }
    if (adam && parameter.second_moment.data() == nullptr) {
      parameter.second_moment = zeros(count);
    }
    float* value = parameter.value.floats();
    const float* gradient = parameter.gradient.floats();
    if (adam) {
      adam_step(context_.stream(), value, parameter.first_moment.floats(),
                parameter.second_moment.floats(), gradient, adam_of(step), count);
    } else if (step.momentum > 0) {
      momentum_step(context_.stream(), value, parameter.first_moment.floats(), gradient,
                    static_cast<float>(step.rate), static_cast<float>(step.momentum), count);
    } else {
      descent_step(context_.stream(), value, gradient, static_cast<float>(step.rate), count);
    }
  }
}

GpuWeights& gpu(Weights* weights) {
  auto* found = dynamic_cast<GpuWeights*>(weights);
  ensure(found != nullptr, "a kernel's weights are missing or another back end's");
  return *found;
}

}  // namespace oracle::gpu
