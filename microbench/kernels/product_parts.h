#pragma once
// Which features of which groups does a rank compute of a product of two activations,
// y[p, g, n] = Σ_k a[p, g, k]·b[g, k, n]?
//
// Whole groups, or part of the features of all groups together: that begins and ends within groups,
// and is up to three segments. The gradients that it gives are then a part of the sum over ranks,
// and zero for groups of which it has no output.
//
//   Worked: features 6 to 20 of 3 groups of 9: 3 of group 0 from its 6 on, all of group 1, 3 of
//           group 2                                 tests/microbench/kernels/product_parts_test.cpp

#include <algorithm>
#include <cstdint>
#include <vector>

#include "microbench/kernels/kernel.h"
#include "oracle/base/error.h"

namespace oracle {

/// Features that lie at the same place in each of some groups.
struct Segment {
  std::int64_t group = 0, groups = 0;
  std::int64_t first = 0, features = 0;  ///< of a group
  std::int64_t written = 0;              ///< where they begin among the rank's features
  bool operator==(const Segment&) const = default;
};

/// The `count` features from `first` on, of groups of `each`.
inline std::vector<Segment> segments_of(std::int64_t first, std::int64_t count, std::int64_t each) {
  std::vector<Segment> segments;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t group = (first + done) / each, within = (first + done) % each;
    const std::int64_t left = count - done;
    Segment segment{group, 1, within, std::min(each - within, left), done};
    if (within == 0 && left >= each) segment.groups = left / each;
    done += segment.groups * segment.features;
    segments.push_back(segment);
  }
  return segments;
}

/// A product as one rank runs it.
struct ProductPart {
  std::int64_t samples = 0, groups = 0, positions = 0;
  std::int64_t summed = 0, features = 0;  ///< of a group
  std::int64_t written = 0;               ///< features of this rank's output, of all groups
  bool turned = false;                    ///< the second input lies as [group, feature, summed]
  bool whole = true;                      ///< it has all features of its groups
  std::vector<Segment> segments;
};

/// Throws InputError where the second input is not whole groups.
inline ProductPart product_part(const LocalLayer& local) {
  const Layer& layer = *local.layer;
  const Extents& y = local.output;
  const Extents& b = local.inputs[1];
  ProductPart part{.samples = y.samples,
                   .groups = local.groups,
                   .positions = y.depth * y.height * y.width,
                   .summed = local.inputs[0].channels / local.groups,
                   .features = layer.output.channels() / layer.groups,
                   .written = y.channels,
                   .turned = layer.turned,
                   .segments = {}};
  const std::int64_t all = part.groups * part.features;
  part.whole = part.written == all;
  const std::int64_t first = part.whole ? 0 : local.place.channels % all;
  const bool whole_groups = local.groups == layer.groups || b.channels % local.groups == 0;
  if (!whole_groups || first + part.written > all ||
      b.elements() != part.samples * all * part.summed) {
    throw InputError(layer.name, "its kernels multiply with whole groups of the second input",
                     "shard its features over fewer ranks");
  }
  part.segments = segments_of(first, part.written, part.features);
  return part;
}

}  // namespace oracle
