#include "oracle/cost/compute/gpu_product.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace oracle {
namespace {

constexpr std::array<double, 14> kParts = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128};
/// A part of a split k is at least this long.
constexpr double kLeastDepth = 128;
/// Tiles that keep a multiprocessor busy.
constexpr double kLeastRounds = 2;
/// Of a kernel's start, what adding up the parts takes.
constexpr double kAddingStart = 0.3;

}  // namespace

double product_seconds(const Product& product, const ProductRun& run, const GpuShare& share) {
  const double results = product.m * product.n * product.groups;
  const double rate = share.peak * run.ceiling * run.factor / share.multiprocessors;
  double best = std::numeric_limits<double>::infinity();
  for (const Tile& tile : run.tiles) {
    const double tiles =
        std::ceil(product.m / tile.rows) * std::ceil(product.n / tile.columns) * product.groups;
    const double area = tile.rows * tile.columns;
    const double per_depth = (area + run.beta * (tile.rows + tile.columns)) / rate;
    for (const double parts : kParts) {
      if (parts > 1 && (!run.splits || product.k / parts < kLeastDepth)) break;
      const double rounds =
          std::max(kLeastRounds, std::ceil(tiles * parts / share.multiprocessors));
      double time = rounds * (product.k / parts + run.depth) * per_depth;
      if (parts > 1) {
        time += (parts + 1) * results * 2 / share.bandwidth + kAddingStart * share.start;
      }
      best = std::min(best, time);
    }
  }
  return best;
}

}  // namespace oracle
