#include "microbench/kernels/cpu/channel_sums.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "microbench/elements/vectorized.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Lanes summed side by side: a block's channels, or as many positions of one channel.
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kRun = 256;

/// As one value, for compilers that see no vector in a loop over lanes.
using Sixteen __attribute__((vector_size(kLanes * sizeof(float)))) = float;

inline void load(const float* from, Sixteen& to) { std::memcpy(&to, from, sizeof to); }

struct Lanes {
  float first[kLanes] = {};
  float second[kLanes] = {};
};

/// `count` values from `x` on; value i goes to lane i mod kLanes. Whole multiples of kLanes.
ORACLE_VECTORIZED void add_values(const float* x, std::int64_t count, Lanes& lanes) {
  Sixteen sums = {}, squares = {}, values;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    load(x + i, values);
    sums += values;
    squares += values * values;
  }
  std::memcpy(lanes.first, &sums, sizeof sums);
  std::memcpy(lanes.second, &squares, sizeof squares);
}

/// Of dy and dy·(x − mean), with one mean for each lane.
ORACLE_VECTORIZED void add_products(const float* x, const float* dy, const float* mean,
                                    std::int64_t count, Lanes& lanes) {
  Sixteen sums = {}, products = {}, means, values, gradients;
  load(mean, means);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    load(x + i, values);
    load(dy + i, gradients);
    sums += gradients;
    products += gradients * (values - means);
  }
  std::memcpy(lanes.first, &sums, sizeof sums);
  std::memcpy(lanes.second, &products, sizeof products);
}

struct Totals {
  std::vector<double> first, second;
  explicit Totals(std::int64_t channels)
      : first(static_cast<std::size_t>(channels)), second(static_cast<std::size_t>(channels)) {}

  std::vector<float> joined() const {
    std::vector<float> sums;
    for (const double sum : first) sums.push_back(static_cast<float>(sum));
    for (const double sum : second) sums.push_back(static_cast<float>(sum));
    return sums;
  }
};

/// Walks a layout in stretches that lie in one piece: visit(offset, values, first channel). With
/// blocks of 16 a stretch is some positions of a block, lane = channel; plain, some positions of a
/// channel. `single` takes what fits neither, value by value.
template <class Stretch, class Single>
void walk(const StorageLayout& layout, Stretch stretch, Single single) {
  const std::int64_t positions = layout.positions();
  if (layout.block != 1 && layout.block != kLanes) {
    for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t,
                             std::int64_t first, std::int64_t) {
      for (std::int64_t lane = 0; lane < count; ++lane) single(offset + lane, first + lane);
    });
    return;
  }
  const std::int64_t run = positions * layout.block;
  std::int64_t offset = 0;
  for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
    for (std::int64_t c = 0; c < layout.extents.channels; c += layout.block, offset += run) {
      const std::int64_t whole = run / kLanes * kLanes;
      for (std::int64_t at = 0; at < whole; at += kRun * kLanes) {
        stretch(offset + at, std::min(kRun * kLanes, whole - at), c);
      }
      for (std::int64_t at = whole; at < run; ++at) single(offset + at, c);
    }
  }
}

/// Lanes of a block belong to its channels; plain, all to one channel.
void add_lanes(const StorageLayout& layout, const Lanes& lanes, std::int64_t channel,
               Totals& totals) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t of = layout.block == 1 ? channel : channel + lane;
    if (of >= layout.extents.channels) break;
    totals.first[static_cast<std::size_t>(of)] += double{lanes.first[lane]};
    totals.second[static_cast<std::size_t>(of)] += double{lanes.second[lane]};
  }
}

/// Coefficients of a block's channels, over and over where it has fewer than there are lanes.
struct Coefficients {
  float first[kLanes] = {};
  float second[kLanes] = {};
  float constant[kLanes] = {};
};

ORACLE_VECTORIZED void combine_sixteen(const float* first, const float* second,
                                       const Coefficients& by, std::int64_t count, float* to) {
  Sixteen of_first, of_second, constant, a, b;
  load(by.first, of_first);
  load(by.second, of_second);
  load(by.constant, constant);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    load(first + i, a);
    load(second + i, b);
    a = of_first * a + of_second * b + constant;
    std::memcpy(to + i, &a, sizeof a);
  }
}

/// `count` values, whose first is of the first coefficient.
void combine_values(const float* first, const float* second, const Coefficients& by,
                    std::int64_t count, float* to) {
  const std::int64_t whole = count / kLanes * kLanes;
  combine_sixteen(first, second, by, whole, to);
  for (std::int64_t i = whole; i < count; ++i) {
    const std::int64_t lane = i % kLanes;
    to[i] = by.first[lane] * first[i] + by.second[lane] * second[i] + by.constant[lane];
  }
}

}  // namespace

std::vector<float> sums_and_squares(const StorageLayout& layout, const float* x) {
  Totals totals(layout.extents.channels);
  walk(
      layout,
      [&](std::int64_t offset, std::int64_t count, std::int64_t channel) {
        Lanes lanes;
        add_values(x + offset, count, lanes);
        add_lanes(layout, lanes, channel, totals);
      },
      [&](std::int64_t offset, std::int64_t channel) {
        const double value = x[offset];
        totals.first[static_cast<std::size_t>(channel)] += value;
        totals.second[static_cast<std::size_t>(channel)] += value * value;
      });
  return totals.joined();
}

std::vector<float> sums_against_normalized(const StorageLayout& layout, const float* x,
                                           const float* dy, const float* mean,
                                           const float* inverse) {
  Totals totals(layout.extents.channels);
  walk(
      layout,
      [&](std::int64_t offset, std::int64_t count, std::int64_t channel) {
        float means[kLanes] = {};
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          const std::int64_t of = layout.block == 1 ? channel : channel + lane;
          if (of < layout.extents.channels) means[lane] = mean[of];
        }
        Lanes lanes;
        add_products(x + offset, dy + offset, means, count, lanes);
        add_lanes(layout, lanes, channel, totals);
      },
      [&](std::int64_t offset, std::int64_t channel) {
        const double gradient = dy[offset];
        totals.first[static_cast<std::size_t>(channel)] += gradient;
        totals.second[static_cast<std::size_t>(channel)] +=
            gradient * (double{x[offset]} - double{mean[channel]});
      });
  for (std::size_t c = 0; c < totals.second.size(); ++c) totals.second[c] *= double{inverse[c]};
  return totals.joined();
}

void combine(const StorageLayout& layout, const float* first, const float* second, const float* a,
             const float* b, const float* constant, float* to) {
  ensure(kLanes % layout.block == 0, "a block holds as many channels as lanes, or a part of them");
  const std::int64_t run = layout.positions() * layout.block;
  std::int64_t offset = 0;
  for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
    for (std::int64_t c = 0; c < layout.extents.channels; c += layout.block, offset += run) {
      // A last block reaches past the channels; its fillings get coefficients of zero.
      Coefficients by;
      for (std::int64_t lane = 0; lane < kLanes; ++lane) {
        const std::int64_t of = c + lane % layout.block;
        if (of >= layout.extents.channels) continue;
        by.first[lane] = a[of];
        by.second[lane] = b[of];
        by.constant[lane] = constant[of];
      }
      combine_values(first + offset, second + offset, by, run, to + offset);
    }
  }
}

}  // namespace oracle
