#include "validate/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "validate/data/positions.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

/// Streams of random numbers.
enum Stream : std::uint64_t { kClass = 1, kPhase = 2, kNoise = 3 };

constexpr double kNoiseShare = 0.3;
constexpr std::int64_t kRegressionClasses = 10;

}  // namespace

/// The wave of one sample, in radians per position.
struct Dataset::Wave {
  double depth, height, width, channel, phase;
  double at(std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) const {
    return std::sin(phase + channel * static_cast<double>(c) + depth * static_cast<double>(d) +
                    height * static_cast<double>(h) + width * static_cast<double>(w));
  }
};

Dataset::Dataset(const Graph& graph, std::uint64_t seed) : seed_(seed) {
  const Layer& loss = graph.layers.back();
  shape_ = graph[0].output;
  target_shape_ = loss.input;
  classifies_ = loss.kind->name == "softmax_loss";
  classes_ = classifies_ ? loss.input.channels() : kRegressionClasses;
}

std::int64_t Dataset::class_of(std::int64_t sample) const {
  return static_cast<std::int64_t>(mixed(seed_, kClass, static_cast<std::uint64_t>(sample)) %
                                   static_cast<std::uint64_t>(classes_));
}

Dataset::Wave Dataset::wave_of(std::int64_t sample) const {
  const double share = static_cast<double>(class_of(sample)) /
                       static_cast<double>(std::max<std::int64_t>(classes_, 1));
  const double angle = std::numbers::pi * share;
  const double pace = 0.6 + 0.6 * share;
  const bool flat = shape_.positions() == 1;
  const double phase =
      uniform(seed_, kPhase, static_cast<std::uint64_t>(sample)) * (flat ? 0.5 : 6.28);
  return {pace * 0.5, pace * std::sin(angle), pace * std::cos(angle), flat ? pace : 1.0, phase};
}

void Dataset::inputs(const Region& region, std::int64_t first_sample,
                     std::span<float> values) const {
  ensure(static_cast<std::int64_t>(values.size()) == region.elements(),
         "Dataset::inputs: as many values as the region has");
  auto value = values.begin();
  Wave wave{};
  std::int64_t known = -1;
  for_each_position(
      region, [&](std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) {
        const std::int64_t sample = first_sample + n;
        if (sample != known) wave = wave_of(sample);
        known = sample;
        const std::int64_t position =
            ((c * shape_[Axis::depth] + d) * shape_[Axis::height] + h) * shape_[Axis::width] + w;
        const auto index = static_cast<std::uint64_t>(sample * shape_.elements() + position);
        const double noise = 2 * uniform(seed_, kNoise, index) - 1;
        *value++ = static_cast<float>(wave.at(c, d, h, w) + kNoiseShare * noise);
      });
}

void Dataset::targets(const Region& region, std::int64_t first_sample,
                      std::span<float> values) const {
  ensure(static_cast<std::int64_t>(values.size()) == region.elements(),
         "Dataset::targets: as many values as the region has");
  const bool dense = target_shape_.positions() > 1;
  auto value = values.begin();
  for_each_position(
      region, [&](std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) {
        const std::int64_t sample = first_sample + n;
        const Wave wave = wave_of(sample);
        const double at = wave.at(c, d, h, w);
        const std::int64_t own = class_of(sample);
        const std::int64_t here = dense && at > 0 ? (own + 1) % classes_ : own;
        *value++ = classifies_ ? static_cast<float>(here) : static_cast<float>(at);
      });
}

}  // namespace oracle
