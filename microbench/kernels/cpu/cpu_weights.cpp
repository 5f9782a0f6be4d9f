#include "microbench/kernels/cpu/cpu_weights.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "microbench/kernels/cpu/arrays.h"
#include "microbench/kernels/cpu/cache.h"
#include "microbench/kernels/cpu/weight_format.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

std::int64_t bytes_of(const dnnl::memory::desc& format) {
  return static_cast<std::int64_t>(format.get_size());
}

MemoryBlock zeros(Context& context, std::int64_t bytes) {
  MemoryBlock block = context.allocator().allocate(bytes);
  std::memset(block.data(), 0, static_cast<std::size_t>(bytes));
  return block;
}

AdamStep adam_of(const OptimizerStep& step) {
  const auto steps = static_cast<double>(step.step);
  return {.rate = static_cast<float>(step.rate / (1 - std::pow(step.momentum, steps))),
          .first_decay = static_cast<float>(step.momentum),
          .first_weight = static_cast<float>(1 - step.momentum),
          .second_decay = static_cast<float>(step.second_moment),
          .second_weight = static_cast<float>(1 - step.second_moment),
          .second_scale = static_cast<float>(1 / (1 - std::pow(step.second_moment, steps))),
          .epsilon = static_cast<float>(step.epsilon)};
}

/// Extent and stride of each dimension, then the blocks inside: "32/16 16/512 0:16 ".
std::string text_of(const dnnl::memory::desc& format) {
  const dnnl_blocking_desc_t& blocking = format.data.format_desc.blocking;
  std::string text;
  for (int i = 0; i < format.data.ndims; ++i) {
    text += std::to_string(format.data.dims[i]) + "/" + std::to_string(blocking.strides[i]) + " ";
  }
  for (int i = 0; i < blocking.inner_nblks; ++i) {
    text +=
        std::to_string(blocking.inner_idxs[i]) + ":" + std::to_string(blocking.inner_blks[i]) + " ";
  }
  return text;
}

/// A parameter's format with the dimensions in which a kernel sees it: a table, which stays plain,
/// is a matrix to a product.
dnnl::memory::desc seen_as(const dnnl::memory::desc& stored, const dnnl::memory::desc& wanted) {
  const dnnl::memory::dims dims = wanted.dims();
  if (stored.dims() == dims) return stored;
  dnnl::memory::dims strides(dims.size(), 1);
  for (std::size_t i = dims.size() - 1; i-- > 0;) strides[i] = strides[i + 1] * dims[i + 1];
  return {dims, dnnl::memory::data_type::f32, strides};
}

std::int64_t floats_in(const MemoryBlock& block) {
  return block.bytes() / std::int64_t{sizeof(float)};
}

}  // namespace

CpuWeights::CpuWeights(Context& context, const LocalLayer& layer) : context_(context) {
  for (std::size_t index = 0; index < layer.layer->weights.size(); ++index) {
    Parameter parameter;
    parameter.plain = parameter.stored = plain_weight(layer, index);
    parameter.value = zeros(context, bytes_of(parameter.plain));
    parameter.gradient = zeros(context, bytes_of(parameter.plain));
    parameters_.push_back(std::move(parameter));
  }
}

std::int64_t CpuWeights::elements(std::size_t index) const {
  return bytes_of(parameters_.at(index).plain) / std::int64_t{sizeof(float)};
}

void CpuWeights::from_plain(const Parameter& parameter, const void* from, const MemoryBlock& to) {
  if (parameter.plain == parameter.stored) {
    std::memcpy(to.data(), from, static_cast<std::size_t>(to.bytes()));
    return;
  }
  // oneDNN reads through a pointer to non-const.
  context_.reorder(context_.memory(parameter.plain, const_cast<void*>(from)),
                   context_.memory(parameter.stored, to.data()));
}

void CpuWeights::to_plain(const Parameter& parameter, const MemoryBlock& from, void* to) const {
  if (parameter.plain == parameter.stored) {
    std::memcpy(to, from.data(), static_cast<std::size_t>(from.bytes()));
    return;
  }
  context_.reorder(context_.memory(parameter.stored, from.data()),
                   context_.memory(parameter.plain, to));
}

void CpuWeights::read(std::size_t index, void* to) const {
  to_plain(parameters_.at(index), parameters_.at(index).value, to);
}

void CpuWeights::write(std::size_t index, const void* from) {
  Parameter& parameter = parameters_.at(index);
  ensure_memory(parameter, parameter.value);
  from_plain(parameter, from, parameter.value);
}

void CpuWeights::read_gradient(std::size_t index, void* to) const {
  to_plain(parameters_.at(index), parameters_.at(index).gradient, to);
}

void CpuWeights::write_gradient(std::size_t index, const void* from) {
  Parameter& parameter = parameters_.at(index);
  ensure_memory(parameter, parameter.gradient);
  from_plain(parameter, from, parameter.gradient);
  parameter.accumulates = true;
}

void CpuWeights::read_moment(std::size_t index, Moment moment, void* to) const {
  const Parameter& parameter = parameters_.at(index);
  const MemoryBlock& block = parameter.of(moment);
  if (block.data() != nullptr) return to_plain(parameter, block, to);
  std::memset(to, 0, static_cast<std::size_t>(bytes_of(parameter.plain)));
}

void CpuWeights::write_moment(std::size_t index, Moment moment, const void* from) {
  Parameter& parameter = parameters_.at(index);
  ensure_memory(parameter, parameter.of(moment));
  from_plain(parameter, from, parameter.of(moment));
}

/// Zeros that fill up a block belong to no message. Nothing: it travels in plain order.
std::optional<KeptFloats> CpuWeights::packed_as_kept(const Parameter& parameter) const {
  const bool as_it_lies = packs_as_kept_ || parameter.stored == parameter.plain;
  return as_it_lies ? kept_floats(parameter.stored) : std::nullopt;
}

void CpuWeights::pack_gradient(std::size_t index, void* to) const {
  const Parameter& parameter = parameters_.at(index);
  const auto kept = packed_as_kept(parameter);
  if (!kept) return read_gradient(index, to);
  gather(*kept, parameter.gradient.floats(), static_cast<float*>(to));
}

void CpuWeights::unpack_gradient(std::size_t index, const void* from) {
  Parameter& parameter = parameters_.at(index);
  const auto kept = packed_as_kept(parameter);
  if (!kept) return write_gradient(index, from);
  ensure_memory(parameter, parameter.gradient);
  scatter(*kept, static_cast<const float*>(from), parameter.gradient.floats());
  parameter.accumulates = true;
}

MemoryBlock CpuWeights::room_for_packed(const Parameter& parameter) const {
  return context_.allocator().allocate(bytes_of(parameter.plain));
}

void CpuWeights::visit_gradient(std::size_t index,
                                const std::function<void(std::span<const float>)>& visit) const {
  const Parameter& parameter = parameters_.at(index);
  if (const auto kept = packed_as_kept(parameter)) {
    for_each_piece<const float>(*kept, parameter.gradient.floats(), visit);
    return;
  }
  const MemoryBlock packed = room_for_packed(parameter);
  read_gradient(index, packed.data());
  visit({packed.floats(), static_cast<std::size_t>(elements(index))});
}

void CpuWeights::fill_gradient(std::size_t index,
                               const std::function<void(std::span<float>)>& fill) {
  Parameter& parameter = parameters_.at(index);
  if (const auto kept = packed_as_kept(parameter)) {
    ensure_memory(parameter, parameter.gradient);
    for_each_piece<float>(*kept, parameter.gradient.floats(), fill);
    parameter.accumulates = true;
    return;
  }
  const MemoryBlock packed = room_for_packed(parameter);
  fill({packed.floats(), static_cast<std::size_t>(elements(index))});
  write_gradient(index, packed.data());
}

std::string CpuWeights::kept_order(std::size_t index) const {
  const Parameter& parameter = parameters_.at(index);
  return parameter.stored == parameter.plain ? std::string() : text_of(parameter.stored);
}

void CpuWeights::begin_step() {
  for (Parameter& parameter : parameters_) parameter.accumulates = false;
}

void CpuWeights::drop_values() {
  for (Parameter& parameter : parameters_) parameter.value = {};
}

void CpuWeights::drop_gradients() {
  for (Parameter& parameter : parameters_) {
    parameter.gradient = {};
    parameter.accumulates = false;
  }
}

void CpuWeights::ensure_memory(const Parameter& parameter, MemoryBlock& block) {
  if (block.data() == nullptr) block = zeros(context_, bytes_of(parameter.stored));
}

void CpuWeights::convert(Parameter& parameter, MemoryBlock& block,
                         const dnnl::memory::desc& format) {
  if (block.data() == nullptr) return;
  MemoryBlock other = context_.allocator().allocate(bytes_of(format));
  context_.reorder(context_.memory(parameter.stored, block.data()),
                   context_.memory(format, other.data()));
  block = std::move(other);
}

void CpuWeights::adopt(std::size_t index, const dnnl::memory::desc& format) {
  Parameter& parameter = parameters_.at(index);
  if (parameter.adopted || parameter.stored.dims() != format.dims()) return;
  parameter.adopted = true;
  if (parameter.stored == format) return;
  convert(parameter, parameter.value, format);
  convert(parameter, parameter.gradient, format);
  convert(parameter, parameter.first_moment, format);
  convert(parameter, parameter.second_moment, format);
  parameter.stored = format;
}

dnnl::memory CpuWeights::value(std::size_t index, const dnnl::memory::desc& wanted,
                               MemoryBlock& copy) const {
  const Parameter& parameter = parameters_.at(index);
  const dnnl::memory::desc stored = seen_as(parameter.stored, wanted);
  dnnl::memory own = context_.memory(stored, parameter.value.data());
  if (stored == wanted) return own;
  copy = context_.allocator().allocate(bytes_of(wanted));
  dnnl::memory reordered = context_.memory(wanted, copy.data());
  context_.reorder(own, reordered);
  return reordered;
}

const float* CpuWeights::vector(std::size_t index) const {
  return parameters_.at(index).value.floats();
}

void CpuWeights::update(const OptimizerStep& step) {
  const bool adam = step.second_moment > 0;
  for (Parameter& parameter : parameters_) {
    const std::int64_t bytes = parameter.value.bytes();
    if ((adam || step.momentum > 0) && parameter.first_moment.data() == nullptr) {
      parameter.first_moment = zeros(context_, bytes);
    }
    if (adam && parameter.second_moment.data() == nullptr) {
      parameter.second_moment = zeros(context_, bytes);
    }
    update_shard(
        {parameter.value.floats(), parameter.gradient.floats(), parameter.first_moment.floats(),
         parameter.second_moment.floats(), floats_in(parameter.value)},
        step);
  }
}

void update_shard(const StateShard& shard, const OptimizerStep& step) {
  const auto rate = static_cast<float>(step.rate);
  if (step.second_moment > 0) {
    adam_step(shard.value, shard.first_moment, shard.second_moment, shard.gradient, adam_of(step),
              shard.count);
  } else if (step.momentum > 0) {
    momentum_step(shard.value, shard.first_moment, shard.gradient, rate,
                  static_cast<float>(step.momentum), shard.count);
  } else {
    descent_step(shard.value, shard.gradient, rate, shard.count);
  }
}

void CpuWeights::evict() const {
  for (const Parameter& parameter : parameters_) {
    for (const MemoryBlock* block : {&parameter.value, &parameter.gradient, &parameter.first_moment,
                                     &parameter.second_moment}) {
      evict_from_caches(block->data(), block->bytes());
    }
  }
}

CpuWeights& cpu(Weights* weights) {
  auto* found = dynamic_cast<CpuWeights*>(weights);
  ensure(found != nullptr, "a kernel's weights are missing or another back end's");
  return *found;
}

GradientWriter::GradientWriter(Context& context, CpuWeights& weights, std::size_t index,
                               const dnnl::memory::desc& produced)
    : context_(context),
      parameter_(weights.parameters_.at(index)),
      produced_(produced),
      direct_(!parameter_.accumulates && produced == parameter_.stored),
      scratch_(direct_ ? MemoryBlock() : context.allocator().allocate(bytes_of(produced))) {
  weights.ensure_memory(parameter_, parameter_.gradient);
}

float* GradientWriter::data() const {
  return direct_ ? parameter_.gradient.floats() : scratch_.floats();
}

dnnl::memory GradientWriter::memory() const { return context_.memory(produced_, data()); }

void GradientWriter::commit() {
  if (!direct_ && produced_ == parameter_.stored) {
    add_to(parameter_.gradient.floats(), scratch_.floats(), floats_in(scratch_));
  } else if (!direct_) {
    const dnnl::memory::desc stored = seen_as(parameter_.stored, produced_);
    context_.reorder(memory(), context_.memory(stored, parameter_.gradient.data()),
                     parameter_.accumulates);
  }
  parameter_.accumulates = true;
}

void write_gradient(Context& context, CpuWeights& weights, std::size_t index,
                    std::span<const double> values) {
  const dnnl::memory::desc vector({static_cast<dnnl::memory::dim>(values.size())},
                                  dnnl::memory::data_type::f32, dnnl::memory::format_tag::a);
  GradientWriter gradient(context, weights, index, vector);
  std::transform(values.begin(), values.end(), gradient.data(),
                 [](double value) { return static_cast<float>(value); });
  gradient.commit();
}

}  // namespace oracle
