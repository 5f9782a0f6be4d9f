#include "oracle/cost/fitted_links.h"

#include <algorithm>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Relative half-width of the 90 % interval of data-sheet links: protocols, congestion and tuning.
constexpr double kDatasheetUncertainty = 0.25;

/// The last piece that begins at or below `message`, else the first.
const LinkPiece& piece_for(const LinkFit& fit, Bytes message) {
  const auto above =
      std::upper_bound(fit.pieces.begin(), fit.pieces.end(), message,
                       [](Bytes bytes, const LinkPiece& piece) { return bytes < piece.from; });
  return above == fit.pieces.begin() ? *above : *(above - 1);
}

}  // namespace

FittedLinks::FittedLinks(const Cluster& cluster, const Profile& profile) {
  const std::size_t levels = std::min(cluster.levels.size(), kMaxLevels);
  for (const LinkFit& fit : profile.links) {
    if (fit.pieces.empty()) continue;
    for (std::size_t l = 0; l < levels; ++l) {
      if (cluster.levels[l].name != fit.level) continue;
      fits_[l] = &fit;
      empty_ = false;
    }
  }
}

void FittedLinks::apply(Group& group, Bytes message) const {
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (fits_[l] == nullptr) continue;
    const LinkPiece& piece = piece_for(*fits_[l], message);
    GroupLevel& level = group.level[l];
    level.latency = piece.latency;
    const double scale = piece.bandwidth / std::min(level.alone, level.flow_limit);
    level.flow = level.flow * scale;
    level.alone = level.alone * scale;
    level.flow_limit = level.flow_limit * scale;
  }
}

Evidence FittedLinks::evidence(const Group& group, Bytes message) const {
  Evidence out{Source::fitted, 0};
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (units_joined(group, l) < 2) continue;
    if (fits_[l] == nullptr) return {Source::datasheet, kDatasheetUncertainty};
    out.uncertainty = std::max(out.uncertainty, piece_for(*fits_[l], message).uncertainty);
  }
  return out;
}

}  // namespace oracle
