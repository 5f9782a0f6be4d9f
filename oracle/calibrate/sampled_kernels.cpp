#include "oracle/calibrate/sampled_kernels.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "oracle/base/error.h"
#include "oracle/base/statistics.h"
#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

using samples::Format;
using samples::Order;

struct Measured {
  KernelKey key;
  samples::Spread time;
};

/// A layer of its own, whole, with that many samples.
struct Instance {
  Layer layer;
  std::int64_t samples = 1;
};

std::optional<DataType> data_type_of(Format format) {
  switch (format) {
    case Format::fp32:
      return DataType::fp32;
    case Format::tf32:
      return DataType::tf32;
    case Format::fp16:
      return DataType::fp16;
    case Format::bf16:
      return DataType::bf16;
    case Format::fp8:
      return std::nullopt;
  }
  return std::nullopt;
}

/// The order in which networks of that format are trained.
Order usual_order(Format format) {
  return format == Format::fp32 || format == Format::tf32 ? Order::nchw : Order::nhwc;
}

Training training_in(DataType type) {
  Training training;
  training.precision = precision_named(name_of(type));
  return training;
}

Shape shape_of(std::int64_t channels, std::span<const std::int64_t> space) {
  Shape shape;
  shape[Axis::channel] = channels;
  for (std::size_t i = 0; i < space.size(); ++i) {
    shape[kSpatialAxes[kSpatialAxes.size() - space.size() + i]] = space[i];
  }
  return shape;
}

Instance instance(std::string_view kind, const Attributes& attributes, const Shape& input,
                  std::size_t spatial_rank, std::int64_t samples) {
  GraphBuilder builder("sample");
  const LayerId first = builder.input(input, spatial_rank);
  const LayerId id = builder.add("layer", kind, {first}, attributes);
  const Layer& layer = builder.so_far()[id];
  bounded_product({samples, layer.input.elements()}, "the input");
  bounded_product({samples, layer.output.elements()}, "the output");
  return {layer, samples};
}

KernelKey key_of_pass(const Instance& of, Pass pass, DataType type) {
  Piece piece;
  piece.samples = of.samples;
  piece.input = of.layer.input;
  piece.output = of.layer.output;
  piece.reduction = of.layer.reduction;
  piece.groups = of.layer.groups;
  piece.weights = of.layer.parameters();
  const Training training = training_in(type);
  return key_of(of.layer, piece, pass, training);
}

Instance convolution_of(const samples::Convolution& conv) {
  Attributes attributes;
  attributes.set("features", conv.filters);
  attributes.set("kernel", conv.kernel);
  attributes.set("stride", conv.stride);
  attributes.set("pad", conv.pad);
  attributes.set("groups", conv.groups);
  attributes.set("bias", false);
  return instance("convolution", attributes, shape_of(conv.channels, conv.space), conv.space.size(),
                  conv.batch);
}

Instance dense_of(const samples::Dense& dense) {
  Attributes attributes;
  attributes.set("features", dense.n);
  attributes.set("bias", false);
  return instance("dense", attributes, shape_of(dense.k, {}), 0, dense.m);
}

/// Samples, channels, then the spatial axes.
Instance normalization_of(const samples::Operation& operation) {
  const auto space = std::span(operation.shape).subspan(2);
  return instance(operation.op, {}, shape_of(operation.shape[1], space), space.size(),
                  operation.shape[0]);
}

/// What the samples amount to, kernel by kernel, and what was left out.
class Collector {
 public:
  template <typename Asked, typename Found>
  void add(const std::string& kind, const std::vector<samples::Sample<Asked, Found>>& all) {
    for (const auto& sample : all) {
      const std::string why = sample.found ? add(sample.asked, *sample.found) : "failed";
      if (!why.empty()) ++left_out_[kind + ": " + why];
    }
  }

  SampledKernels result();

 private:
  /// Each returns why the case is left out; empty where it is not.
  std::string add(const samples::Convolution& conv, const samples::Passes& passes) {
    if (conv.order != usual_order(conv.format)) return "not the order that networks train in";
    return add_passes([&] { return convolution_of(conv); }, conv.format, passes);
  }
  std::string add(const samples::Dense& dense, const samples::Passes& passes) {
    return add_passes([&] { return dense_of(dense); }, dense.format, passes);
  }
  std::string add(const samples::Operation& operation, const samples::OperationTime& time);
  std::string add(const samples::Attention&, const samples::OperationTime&) {
    return "no layer kind of the engine";
  }
  std::string add(const samples::Update&, const samples::UpdateTime&) {
    return "a profile prices no updates";
  }

  template <typename Make>
  std::string add_passes(Make make, Format format, const samples::Passes& passes) {
    const std::optional<DataType> type = data_type_of(format);
    if (!type) return "a number format that the engine does not price";
    try {
      const Instance layer = make();
      keep(layer, Pass::forward, *type, passes.forward);
      keep(layer, Pass::backward_data, *type, passes.backward_data);
      keep(layer, Pass::backward_weights, *type, passes.backward_weights);
    } catch (const InputError&) {
      return "shapes that no layer can have";
    }
    return {};
  }

  void keep(const Instance& layer, Pass pass, DataType type, const samples::Timing& timing) {
    measured_.push_back({key_of_pass(layer, pass, type), timing.device});
  }

  std::vector<Measured> measured_;
  std::map<std::string, std::size_t> left_out_;
};

std::string Collector::add(const samples::Operation& operation,
                           const samples::OperationTime& time) {
  const bool batch_norm = operation.op == "batch_norm";
  if (!batch_norm && operation.op != "layer_norm") return operation.op + " has no key of its own";
  const bool usual = !operation.order || *operation.order == usual_order(operation.format);
  if (!usual) return "not the order that networks train in";
  std::vector<DataType> types;
  if (const std::optional<DataType> type = data_type_of(operation.format)) types = {*type};
  // TF32 concerns matrix products alone.
  if (operation.format == Format::fp32) types.push_back(DataType::tf32);
  if (operation.shape.size() < 2 || operation.shape.size() > 5) return "no samples and channels";
  try {
    const Instance layer = normalization_of(operation);
    for (const DataType type : types) {
      keep(layer, Pass::forward, type, time.forward);
      if (batch_norm && time.backward) keep(layer, Pass::backward_data, type, *time.backward);
    }
  } catch (const InputError&) {
    return "shapes that no layer can have";
  }
  return {};
}

/// The price of samples that have one key.
Cost price_of(std::span<const Measured> same) {
  const auto [least, most] = std::minmax_element(
      same.begin(), same.end(),
      [](const Measured& a, const Measured& b) { return a.time.median < b.time.median; });
  Cost cost{(least->time.median + most->time.median) / 2, Source::measured, 0};
  for (const Measured& one : same) {
    const samples::Spread& time = one.time;
    const Seconds half_width =
        std::max(time.p90 - time.median, time.median - time.p10) * kNormal90PerDeciles;
    const double away = std::abs((time.median - cost.time).value);
    cost.uncertainty = std::max(cost.uncertainty, (away + half_width.value) / cost.time.value);
  }
  return cost;
}

SampledKernels Collector::result() {
  std::stable_sort(measured_.begin(), measured_.end(),
                   [](const Measured& a, const Measured& b) { return a.key < b.key; });
  SampledKernels out;
  out.left_out = std::move(left_out_);
  for (std::size_t first = 0; first < measured_.size();) {
    std::size_t last = first + 1;
    while (last < measured_.size() && measured_[last].key == measured_[first].key) ++last;
    out.kernels.push_back(
        {measured_[first].key, price_of(std::span(measured_).subspan(first, last - first))});
    first = last;
  }
  return out;
}

}  // namespace

SampledKernels sampled_kernels(const samples::Samples& samples) {
  Collector collector;
  collector.add("conv", samples.convolutions);
  collector.add("gemm", samples.dense);
  collector.add("ops", samples.operations);
  collector.add("ops, attention", samples.attention);
  collector.add("ops, updates", samples.updates);
  return collector.result();
}

}  // namespace oracle
