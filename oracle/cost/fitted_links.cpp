#include "oracle/cost/fitted_links.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Relative half-width of the 90 % interval of data-sheet links: protocols, congestion and tuning.
constexpr double kDatasheetUncertainty = 0.25;
/// How much less is known of messages that are shorter or longer than those measured.
constexpr double kOutsideFactor = 2;

/// How many times as long as the longest measured a message may be that is still told by its
/// bandwidth: slow links have no time for messages of a gradient bucket's size. Of the longest so
/// much more than the latency was its bytes' time.
constexpr double kLonger = 8, kBytesOverLatency = 4;

/// The last piece that begins at or below `message`, else the first.
const LinkPiece& piece_for(const LinkFit& fit, Bytes message) {
  const auto above =
      std::upper_bound(fit.pieces.begin(), fit.pieces.end(), message,
                       [](Bytes bytes, const LinkPiece& piece) { return bytes < piece.from; });
  return above == fit.pieces.begin() ? *above : *(above - 1);
}

/// What one of `flows` groups gets where one alone gets `alone` and one message `message`.
Bandwidth shared(const LinkFit& fit, Bandwidth alone, Bandwidth message, double flows) {
  return std::min(alone, message * (fit.together / flows));
}

void apply_to_level(GroupLevel& level, const LinkFit& fit, const LinkPiece& piece) {
  level.latency = piece.latency;
  const double scale = piece.bandwidth / std::min(level.alone, level.flow_limit);
  level.alone = level.alone * scale;
  level.flow_limit = level.flow_limit * scale;
  level.flow = fit.together > 0 ? shared(fit, level.alone, piece.bandwidth, level.flows)
                                : level.flow * scale;
}

/// A measured rail may give so much more than its data sheet says, and is still one.
constexpr double kAboveDatasheet = 0.1;

/// What is left to one of the groups at a level of what it took alone. One that took no more than a
/// rail gives has that rail for itself as long as there is one for each group.
double share_left(const GroupLevel& level, Bandwidth taken) {
  const double rails = std::max(1.0, std::ceil(taken / level.flow_limit - kAboveDatasheet));
  return std::min(1.0, level.flow / std::min(level.flow_limit * rails, level.alone));
}

/// An all-to-all of n ranks, u in a unit: of n-1 messages that each sends, n-u cross the level,
/// where u at a time share an uplink. Those below it go at the same time.
void apply_to_both_sides(Group& group, const LinkFit& fit, const LinkPiece& piece) {
  GroupLevel& top = group.level[group.levels - 1];
  const auto u = static_cast<double>(fit.per_unit);
  const auto n = static_cast<double>(fit.ranks);
  const double longer = (n - 1) / (n - u);
  const Bandwidth uplink = piece.bandwidth * (u / longer);
  const double share = share_left(top, uplink);
  top.latency = piece.latency * longer;
  top.flow_limit = std::min(top.flow_limit, uplink);
  top.alone = uplink;
  top.flow = uplink * share;
  for (std::size_t l = 0; l + 1 < group.levels; ++l) {
    GroupLevel& below = group.level[l];
    below.latency = {};
    below.flow = below.alone = below.flow_limit =
        Bandwidth{std::numeric_limits<double>::infinity()};
  }
}

/// What was measured of the whole collective holds for the level that joins the group; those below
/// were crossed as well, and let at least as much pass.
void apply_to_group(Group& group, const LinkFit& fit, const LinkPiece& piece) {
  if (fit.per_unit > 1) return apply_to_both_sides(group, fit, piece);
  GroupLevel& top = group.level[group.levels - 1];
  const double share = share_left(top, piece.bandwidth);
  top.latency = piece.latency;
  top.alone = top.flow_limit = piece.bandwidth;
  top.flow = fit.together > 0 ? shared(fit, top.alone, piece.bandwidth, top.flows)
                              : piece.bandwidth * share;
  for (std::size_t l = 0; l + 1 < group.levels; ++l) {
    GroupLevel& below = group.level[l];
    const double wider = std::max(1.0, piece.bandwidth / std::min(below.alone, below.flow_limit));
    scale_bandwidth(below, wider);
    below.latency = std::min(below.latency, piece.latency);
  }
}

bool told_by_bandwidth(const LinkFit& fit, Bytes message) {
  const LinkPiece& longest = fit.pieces.back();
  return message <= kLonger * fit.most &&
         kBytesOverLatency * longest.latency <= fit.most / longest.bandwidth;
}

bool inside(const LinkFit& fit, Bytes message) {
  if (fit.most.value <= 0) return true;
  return fit.least <= message && (message <= fit.most || told_by_bandwidth(fit, message));
}

Evidence evidence_of(const LinkFit& fit, Bytes message) {
  const double uncertainty = piece_for(fit, message).uncertainty;
  if (inside(fit, message)) return {Source::fitted, uncertainty};
  return {Source::assumed, std::max(kOutsideFactor * uncertainty, kDatasheetUncertainty)};
}

}  // namespace

void FittedLinks::SizedFits::add(const LinkFit& fit) {
  if (fit.ranks == 0) {
    of_any = &fit;
  } else if (sizes < of_size.size()) {
    of_size[sizes++] = &fit;
  }
}

const LinkFit* FittedLinks::SizedFits::of(std::int64_t ranks, std::int64_t per_unit) const {
  const LinkFit* same_size = nullptr;
  for (std::size_t i = 0; i < sizes; ++i) {
    if (of_size[i]->ranks != ranks) continue;
    if (of_size[i]->per_unit == per_unit) return of_size[i];
    same_size = of_size[i];
  }
  if (same_size != nullptr) return same_size;
  return of_any != nullptr || sizes == 0 ? of_any : of_size[0];
}

FittedLinks::FittedLinks(const Cluster& cluster, const Profile& profile) {
  const std::size_t levels = std::min(cluster.levels.size(), kMaxLevels);
  for (const LinkFit& fit : profile.links) {
    if (fit.pieces.empty()) continue;
    for (std::size_t l = 0; l < levels; ++l) {
      if (cluster.levels[l].name != fit.level) continue;
      if (fit.operation.empty()) fits_[l] = &fit;
      for (std::size_t c = 0; c < kCollectiveCount; ++c) {
        if (name_of(static_cast<Collective>(c)) == fit.operation) collectives_[l][c].add(fit);
      }
      empty_ = false;
    }
  }
}

const LinkFit* FittedLinks::collective(Collective collective, const Group& group) const {
  if (group.size < 2) return nullptr;
  return collectives_[group.levels - 1][static_cast<std::size_t>(collective)].of(
      group.size, members_below(group, group.levels - 1));
}

void FittedLinks::apply(Group& group, Bytes message, const LinkFit* collective) const {
  if (collective != nullptr) {
    apply_to_group(group, *collective, piece_for(*collective, message));
  } else {
    apply_messages(group, message);
  }
}

void FittedLinks::apply_messages(Group& group, Bytes message) const {
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (fits_[l] == nullptr) continue;
    apply_to_level(group.level[l], *fits_[l], piece_for(*fits_[l], message));
  }
}

Evidence FittedLinks::evidence(const Group& group, Bytes message, const LinkFit* collective) const {
  if (collective != nullptr) return evidence_of(*collective, message);
  Evidence out{Source::fitted, 0};
  for (std::size_t l = 0; l < group.levels; ++l) {
    if (units_joined(group, l) < 2) continue;
    if (fits_[l] == nullptr) return {Source::datasheet, kDatasheetUncertainty};
    const Evidence level = evidence_of(*fits_[l], message);
    out.source = std::max(out.source, level.source);
    out.uncertainty = std::max(out.uncertainty, level.uncertainty);
  }
  return out;
}

}  // namespace oracle
