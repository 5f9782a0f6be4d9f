#include "oracle/plan/training.h"

#include <algorithm>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle {
namespace {

constexpr std::array<Precision, 8> kPrecisions = {{
    {"fp32", DataType::fp32, 4, 4, 4, 0},
    {"tf32", DataType::tf32, 4, 4, 4, 0},
    {"fp16", DataType::fp16, 2, 2, 2, 4},
    {"bf16", DataType::bf16, 2, 2, 2, 4},
    {"fp8", DataType::fp8, 2, 2, 2, 4, {8}},
    {"fp8_block", DataType::fp8, 2, 2, 2, 4, {8, 4, 128, 128 * 128}},
    {"mxfp8", DataType::mxfp8, 2, 2, 2, 4, {8, 1, 32, 32}},
    {"fp4", DataType::fp4, 2, 2, 2, 4, {4, 1, 16, 16}},
}};

constexpr std::array<Optimizer, 5> kOptimizers = {{
    {"sgd", 0, 2},
    {"momentum", 4, 4, {2, 1, 5, 0}},
    {"adam", 8, 12, {2, 2, 4, 6}},
    {"adam_bf16", 4, 12},
    {"adam8bit", 2, 12},
}};

template <typename Row>
const Row& row_named(std::span<const Row> rows, std::string_view name, const char* place) {
  std::vector<std::string> known;
  for (const Row& row : rows) {
    if (row.name == name) return row;
    known.emplace_back(row.name);
  }
  throw InputError(place, "unknown name " + in_quotes(name), suggestion(name, known));
}

}  // namespace

std::span<const Precision> all_precisions() { return kPrecisions; }
std::span<const Optimizer> all_optimizers() { return kOptimizers; }

Precision kept_by(const Framework& framework, Precision precision, const StateFormats& asked) {
  const bool mixed = precision.master_bytes > 0;
  if (!mixed && asked.master.value_or(0) > 0) {
    throw InputError("--master",
                     "weights of " + std::string(precision.name) + " have no copy of their own",
                     "leave it out, or ask for --precision bf16");
  }
  if (mixed && framework.fp32_weights && !asked.master) {
    const Precision& wide = all_precisions().front();
    precision.cast_bytes = precision.weight_bytes;
    precision.weight_bytes = wide.weight_bytes;
    precision.gradient_bytes = wide.gradient_bytes;
    precision.master_bytes = 0;
  }
  const StateFormats formats = mixed ? joined(asked, framework.state) : asked;
  if (precision.cast_bytes == 0) {
    precision.master_bytes = formats.master.value_or(precision.master_bytes);
  }
  precision.gradient_bytes = formats.gradients.value_or(precision.gradient_bytes);
  precision.reduce_bytes = formats.reduce.value_or(0);
  precision.frozen_bits = formats.frozen.value_or(0);
  return precision;
}

bool turns_scores_into_fp32(const Layer& layer, const Training& training) {
  return layer.is_loss() && layer.keeps_input && training.framework.fp32_loss &&
         training.precision.activation_bytes < kFp32Bytes;
}

bool runs_each_operation(const Layer& layer, const Framework& framework) {
  return layer.written_out && composes(framework, layer.variant);
}

bool keeps_input(const Layer& layer, const Training& training) {
  const bool is_weighted_before =
      layer.routed == Routed::combine && training.framework.weights_rows_early;
  // The gradient of the inputs of a product with weights reads these alone.
  const bool reads_weights_alone = layer.frozen && (layer.has_filters() || layer.looks_up);
  return layer.keeps_input && !is_weighted_before && !reads_weights_alone;
}

int bytes_per_parameter(const Training& training) {
  const Precision& precision = training.precision;
  return precision.weight_bytes + precision.gradient_bytes + precision.master_bytes +
         training.optimizer.state_bytes;
}

double frozen_bytes(const Layer& layer, const Precision& precision) {
  if (precision.frozen_bits == 0 || !layer.linear) return precision.used_bytes();
  // Scales of 8 bits for 64 values, and of 32 for 256 of these; of 8 bits one for a row.
  constexpr double kScalesOf4Bits = 0.127;
  return (precision.frozen_bits + (precision.frozen_bits == 4 ? kScalesOf4Bits : 0)) / 8;
}

WeightBytes WeightBytes::of(const Layer& layer, const Precision& precision) {
  if (layer.frozen) {
    const double frozen = frozen_bytes(layer, precision);
    return {frozen, frozen, 0, 0};
  }
  const auto kept = static_cast<double>(precision.weight_bytes),
             cast = static_cast<double>(precision.cast_bytes);
  if (!is_narrow(layer, precision)) {
    return {kept, static_cast<double>(precision.used_bytes()), cast, kept};
  }
  const double used = precision.narrow.weight_bytes();
  if (cast > 0) return {kept, used, 2 * used, kept};
  return {2 * used, used, 0, used};
}

int value_bytes(const Graph& graph, LayerId id, const Precision& precision) {
  return is_looked_up(graph, id) ? all_precisions().front().activation_bytes
                                 : precision.activation_bytes;
}

const Precision& precision_named(std::string_view name) {
  constexpr std::string_view kMixed = "amp";  // of frameworks that cast to fp16 themselves
  return row_named(all_precisions(), name == kMixed ? "fp16" : name, "--precision");
}

Optimizer optimizer_named(std::string_view name) {
  constexpr std::string_view kInOne = "fused_";
  if (name.starts_with(kInOne)) {
    Optimizer optimizer = optimizer_named(name.substr(kInOne.size()));
    optimizer.in_one = true;
    return optimizer;
  }
  // Decoupled weight decay reads and writes what Adam does.
  constexpr std::string_view kDecoupled = "adamw";
  const std::string adam =
      "adam" + std::string(name.substr(std::min(name.size(), kDecoupled.size())));
  return row_named(all_optimizers(), name.starts_with(kDecoupled) ? adam : name, "--optimizer");
}

}  // namespace oracle
