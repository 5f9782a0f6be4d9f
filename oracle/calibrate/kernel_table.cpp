#include "oracle/calibrate/kernel_table.h"

#include <algorithm>
#include <map>

#include "oracle/base/statistics.h"
#include "oracle/cost/compute/kernel.h"

namespace oracle {
namespace {

Piece whole_piece(const Layer& layer, std::int64_t samples) {
  Piece piece;
  piece.samples = samples;
  piece.input = layer.input;
  piece.output = layer.output;
  piece.reduction = layer.reduction;
  piece.groups = layer.groups;
  piece.experts = layer.experts;
  piece.weights = layer.parameters();
  return piece;
}

Training training_of(const KernelSample& sample) {
  Training training;
  training.precision = precision_named(name_of(sample.type));
  if (!sample.optimizer.empty()) training.optimizer = optimizer_named(sample.optimizer);
  return training;
}

Cost cost_of(const MeasuredTime& time) {
  const Seconds width =
      std::max(time.high - time.median, time.median - time.low) * kNormal90PerDeciles;
  return {time.mean, Source::measured, width / time.median};
}

}  // namespace

KernelKey key_of(const KernelSample& sample) {
  const Layer layer = layer_of(sample.layer);
  return key_of(layer, whole_piece(layer, sample.layer.samples), sample.pass, training_of(sample));
}

Bytes traffic_of(const KernelSample& sample) {
  const Layer layer = layer_of(sample.layer);
  const Piece piece = whole_piece(layer, sample.layer.samples);
  return demand(layer, piece, sample.pass, training_of(sample)).traffic;
}

std::vector<KernelTime> kernel_table(std::span<const KernelSample> samples,
                                     std::span<const CompressionSample> compressions) {
  std::map<KernelKey, Cost> last;
  for (const KernelSample& sample : samples) last[key_of(sample)] = cost_of(sample.time);
  for (const CompressionSample& sample : compressions) {
    last[compression_key(sample.step, sample.exchange, sample.type, sample.inputs, sample.input,
                         sample.output)] = cost_of(sample.time);
  }
  std::vector<KernelTime> table;
  for (const auto& [key, cost] : last) table.push_back({key, cost});
  return table;
}

}  // namespace oracle
