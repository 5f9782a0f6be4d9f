#include "oracle/cluster/kernel_key.h"

#include <cmath>

namespace oracle {
namespace {

/// Pass::backward_weights and Pass::update (graph/layer.h).
constexpr std::uint8_t kWeightGradient = 2, kUpdate = 3;

template <std::size_t N>
double product(const std::array<std::int64_t, N>& extents) {
  double result = 1;
  for (const std::int64_t extent : extents) result *= static_cast<double>(extent);
  return result;
}

double per_group(std::int64_t channels, std::int64_t groups) {
  return std::fmax(1, static_cast<double>(channels) / static_cast<double>(groups));
}

/// How far channels are from whole blocks of 16, as vector units take them: 0, or 1 for blocks of
/// 8, 2 for blocks of 4, 3 for none. Libraries have other kernels, or none, for the rest.
double misalignment(std::int64_t channels) {
  if (channels % 16 == 0) return 0;
  if (channels % 8 == 0) return 1;
  return channels % 4 == 0 ? 2 : 3;
}

/// Channels that one product or one vector sees: a group's; where a group is one channel, all.
std::int64_t side_by_side(std::int64_t channels, std::int64_t groups) {
  return groups > 1 && channels > groups ? channels / groups : channels;
}

std::int64_t in_whole_blocks(std::int64_t words) {
  constexpr std::int64_t kBlock = 16;
  return (words + kBlock - 1) / kBlock * kBlock;
}

}  // namespace

KernelKey compression_key(std::string_view step, std::string_view exchange, DataType type,
                          std::int64_t inputs, std::int64_t input, std::int64_t output) {
  KernelKey key;
  key.kind = step;
  key.variant = exchange;
  key.pass = kUpdate;
  key.type = type;
  key.inputs = inputs;
  key.input[0] = in_whole_blocks(input);
  key.output[0] = in_whole_blocks(output);
  return key;
}

KernelWork work_of(const KernelKey& key) {
  const auto samples = static_cast<double>(key.samples);
  const double in = samples * product(key.input), out = samples * product(key.output);
  const double window = product(key.kernel);
  KernelWork work;
  work.elements = in * static_cast<double>(key.inputs) + out;
  if (key.others > 0) work.elements = in + samples * static_cast<double>(key.others) + out;
  const auto entries = static_cast<double>(key.entries);
  if (key.contraction) {
    // A transposed convolution slides over its output.
    const double reduction = per_group(key.input[0], key.groups) * window;
    work.operations = 2 * out * reduction;
    work.elements += static_cast<double>(key.output[0]) * reduction * entries;
  } else {
    work.operations = window > 1 ? out * window : in;
    // The gradient of a table is as large as all of it, however few rows were read.
    if (key.entries > 1 && key.pass == kWeightGradient) {
      work.elements += entries * static_cast<double>(key.output[0]);
    }
  }
  return work;
}

KernelFeatures features_of(const KernelKey& key) {
  const double in = per_group(key.input[0], key.groups);
  const double out = per_group(key.output[0], key.groups);
  const double positions = product(key.output) / static_cast<double>(key.output[0]);
  return {std::log2(static_cast<double>(key.samples)),
          std::log2(in),
          std::log2(out),
          std::log2(static_cast<double>(key.groups)),
          std::log2(positions),
          std::log2(product(key.kernel)),
          std::log2(product(key.stride)),
          std::log2(static_cast<double>(key.inputs)),
          misalignment(side_by_side(key.input[0], key.groups)),
          misalignment(side_by_side(key.output[0], key.groups))};
}

std::string family_of(const KernelKey& key) {
  std::string family = key.kind;
  if (!key.variant.empty()) family += " " + key.variant;
  // Of attention one head runs as many do.
  if (key.groups > 1 && key.others == 0) {
    family += key.groups == key.input[0] && key.groups == key.output[0] ? " depthwise" : " grouped";
  }
  return family;
}

}  // namespace oracle
