#include "microbench/kernels/cpu/channel_sums.h"

#include <algorithm>
#include <cstddef>

#include "microbench/kernels/cpu/vectorized.h"

namespace oracle {
namespace {

/// Lanes summed side by side: a block's channels, or as many positions of one channel.
constexpr std::int64_t kLanes = 16;
constexpr std::int64_t kChunk = 256;

struct Lanes {
  float first[kLanes] = {};
  float second[kLanes] = {};
};

/// `count` values from `x` on; value i goes to lane i mod kLanes. Whole multiples of kLanes.
ORACLE_VECTORIZED void add_values(const float* x, std::int64_t count, Lanes& lanes) {
  Lanes sums = lanes;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float value = x[i + lane];
      sums.first[lane] += value;
      sums.second[lane] += value * value;
    }
  }
  lanes = sums;
}

/// Of dy and dy·(x − mean), with one mean for each lane.
ORACLE_VECTORIZED void add_products(const float* x, const float* dy, const float* mean,
                                    std::int64_t count, Lanes& lanes) {
  Lanes sums = lanes;
  for (std::int64_t i = 0; i < count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const float gradient = dy[i + lane];
      sums.first[lane] += gradient;
      sums.second[lane] += gradient * (x[i + lane] - mean[lane]);
    }
  }
  lanes = sums;
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
void walk(const Layout& layout, Stretch stretch, Single single) {
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
      for (std::int64_t at = 0; at < whole; at += kChunk * kLanes) {
        stretch(offset + at, std::min(kChunk * kLanes, whole - at), c);
      }
      for (std::int64_t at = whole; at < run; ++at) single(offset + at, c);
    }
  }
}

/// Lanes of a block belong to its channels; plain, all to one channel.
void add_lanes(const Layout& layout, const Lanes& lanes, std::int64_t channel, Totals& totals) {
  for (std::int64_t lane = 0; lane < kLanes; ++lane) {
    const std::int64_t of = layout.block == 1 ? channel : channel + lane;
    if (of >= layout.extents.channels) break;
    totals.first[static_cast<std::size_t>(of)] += double{lanes.first[lane]};
    totals.second[static_cast<std::size_t>(of)] += double{lanes.second[lane]};
  }
}

ORACLE_VECTORIZED void combine_values(const float* first, const float* second, const float* a,
                                      const float* b, const float* constant, std::int64_t lanes,
                                      std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) {
      to[i + lane] = a[lane] * first[i + lane] + b[lane] * second[i + lane] + constant[lane];
    }
  }
}

ORACLE_VECTORIZED void combine_sixteen(const float* first, const float* second, const float* a,
                                       const float* b, const float* constant, std::int64_t count,
                                       float* to) {
  for (std::int64_t i = 0; i < count; i += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      to[i + lane] = a[lane] * first[i + lane] + b[lane] * second[i + lane] + constant[lane];
    }
  }
}

}  // namespace

std::vector<float> sums_and_squares(const Layout& layout, const float* x) {
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

std::vector<float> sums_against_normalized(const Layout& layout, const float* x, const float* dy,
                                           const float* mean, const float* inverse) {
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

void combine(const Layout& layout, const float* first, const float* second, const float* a,
             const float* b, const float* constant, float* to) {
  const std::int64_t run = layout.positions() * layout.block;
  std::int64_t offset = 0;
  // A last block reaches past the channels; its fillings get coefficients of zero.
  std::vector<float> of_first(static_cast<std::size_t>(layout.block));
  std::vector<float> of_second(of_first.size());
  std::vector<float> added(of_first.size());
  for (std::int64_t n = 0; n < layout.extents.samples; ++n) {
    for (std::int64_t c = 0; c < layout.extents.channels; c += layout.block, offset += run) {
      for (std::size_t lane = 0; lane < of_first.size(); ++lane) {
        const std::int64_t of = c + static_cast<std::int64_t>(lane);
        const bool real = of < layout.extents.channels;
        of_first[lane] = real ? a[of] : 0;
        of_second[lane] = real ? b[of] : 0;
        added[lane] = real ? constant[of] : 0;
      }
      if (layout.block == kLanes) {
        combine_sixteen(first + offset, second + offset, of_first.data(), of_second.data(),
                        added.data(), run, to + offset);
      } else {
        combine_values(first + offset, second + offset, of_first.data(), of_second.data(),
                       added.data(), layout.block, run, to + offset);
      }
    }
  }
}

}  // namespace oracle
