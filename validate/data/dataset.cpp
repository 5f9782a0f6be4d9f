#include "validate/data/dataset.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/graph/kinds/kind.h"
#include "validate/data/positions.h"
#include "validate/data/random.h"

namespace oracle {
namespace {

/// Streams of random numbers.
enum Stream : std::uint64_t { kClass = 1, kPhase = 2, kSampleNoise = 3, kFurtherNoise = 4 };

constexpr double kNoiseShare = 0.3;
constexpr std::int64_t kRegressionClasses = 10;

/// An angle, ready to be added to another.
struct Angle {
  explicit Angle(double angle) : sine(std::sin(angle)), cosine(std::cos(angle)) {}
  double sine, cosine;
};

/// Rows of the table that reads the network's input; 0 where none does.
std::int64_t entries_of(const Graph& graph) {
  for (const LayerId reader : graph.consumers[0]) {
    const Layer& layer = graph[reader];
    if (layer.looks_up) {
      return layer.weights.front().elements / layer.output.channels();
    }
  }
  return 0;
}

/// A height of the wave and its noise as a whole number below `entries`.
double numbered(double height, std::int64_t entries) {
  const auto most = static_cast<double>(entries - 1);
  const double share = (height / (1 + kNoiseShare) + 1) / 2;
  return std::clamp(std::floor(share * static_cast<double>(entries)), 0.0, most);
}

/// A text lies along the width.
Shape along_width(Shape shape) {
  shape[Axis::width] *= shape[Axis::sequence];
  shape[Axis::sequence] = 1;
  return shape;
}

double sine_of_sum(const Angle& a, const Angle& b) { return a.sine * b.cosine + a.cosine * b.sine; }

}  // namespace

/// The wave of one sample, in radians per position.
struct Dataset::Wave {
  double depth, height, width, channel, phase;
  double row(std::int64_t c, std::int64_t d, std::int64_t h) const {
    return phase + channel * static_cast<double>(c) + depth * static_cast<double>(d) +
           height * static_cast<double>(h);
  }
  double column(std::int64_t w) const { return width * static_cast<double>(w); }
  double at(std::int64_t c, std::int64_t d, std::int64_t h, std::int64_t w) const {
    return std::sin(row(c, d, h) + column(w));
  }
};

Dataset::Dataset(const Graph& graph, std::uint64_t seed) : seed_(seed) {
  const Layer& loss = graph.layers.back();
  shape_ = along_width(graph[0].output);
  target_shape_ = along_width(loss.input);
  classifies_ = loss.kind->name == "softmax_loss";
  entries_ = entries_of(graph);
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
  fill(region, first_sample, kSampleNoise, values);
}

void Dataset::further(const Region& region, std::int64_t first_sample,
                      std::span<float> values) const {
  fill(region, first_sample, kFurtherNoise, values);
}

void Dataset::fill(const Region& region, std::int64_t first_sample, std::uint64_t stream,
                   std::span<float> values) const {
  ensure(static_cast<std::int64_t>(values.size()) == region.elements(),
         "Dataset: as many values as the region has");
  const RegionPositions along = positions_of(region);
  auto value = values.begin();
  Wave wave{};
  std::vector<Angle> columns;
  std::int64_t known = -1;
  for_each_row(along, [&](std::int64_t n, std::int64_t c, std::int64_t d, std::int64_t h) {
    const std::int64_t sample = first_sample + n;
    if (sample != known) {
      wave = wave_of(sample);
      columns.clear();
      for (const std::int64_t w : along[4]) columns.emplace_back(wave.column(w));
      known = sample;
    }
    // A sine for each row and column instead of each value: a step waits for its samples.
    const Angle row(wave.row(c, d, h));
    const std::int64_t first =
        ((c * shape_[Axis::depth] + d) * shape_[Axis::height] + h) * shape_[Axis::width];
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::int64_t index = sample * shape_.elements() + first + along[4][i];
      const double noise = 2 * uniform(seed_, stream, static_cast<std::uint64_t>(index)) - 1;
      const double height = sine_of_sum(row, columns[i]) + kNoiseShare * noise;
      *value++ = static_cast<float>(entries_ > 0 ? numbered(height, entries_) : height);
    }
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
