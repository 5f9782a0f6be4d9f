#include "oracle/calibrate/one_size.h"

#include <algorithm>

namespace oracle {
namespace {

constexpr double kOneSizeUncertainty = 0.25;

/// Bandwidth 0 where the time contradicts what is described.
LinkPiece piece_of(const LinkPoint& point, const Link& described) {
  const Seconds bytes = point.message / std::min(described.bandwidth, described.flow_limit);
  LinkPiece piece{Bytes{0}, described.latency, described.flow_limit, kOneSizeUncertainty};
  if (described.latency > bytes) {
    piece.latency = point.time - bytes;
    if (piece.latency.value <= 0) piece.bandwidth = Bandwidth{0};
  } else {
    const Seconds left = point.time - described.latency;
    piece.bandwidth = left.value > 0 ? point.message / left : Bandwidth{0};
  }
  return piece;
}

}  // namespace

void describe_one_size(LinkFits& links, const Cluster& described) {
  std::erase_if(links.fits, [&](LinkFit& fit) {
    if (fit.table.size() != 1) return false;
    const auto level = std::find_if(described.levels.begin(), described.levels.end(),
                                    [&](const Level& one) { return one.name == fit.level; });
    if (level == described.levels.end()) return false;
    const LinkPoint& point = fit.table.front();
    fit.pieces = {piece_of(point, level->uplink)};
    if (fit.pieces.front().bandwidth.value > 0) return false;
    links.left_out["of one size, which contradicts what is described"] +=
        static_cast<std::size_t>(point.samples);
    return true;
  });
}

}  // namespace oracle
