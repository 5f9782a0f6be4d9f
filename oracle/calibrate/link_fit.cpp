#include "oracle/calibrate/link_fit.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/statistics.h"
#include "oracle/calibrate/link_table.h"
#include "oracle/calibrate/piecewise.h"

namespace oracle {
namespace {

constexpr double kBadFit = 0.15;
constexpr std::size_t kMostLeftOut = 32;
/// How much shorter than the longest messages may be that say what flows get together.
constexpr double kLongMessages = 8;
/// Of what seemed to stand still beside the other, a second's work in a second.
constexpr double kLeastDone = 0.01;

/// What is fitted together.
struct Key {
  std::string level;
  LinkOperation operation = LinkOperation::message;
  std::int64_t ranks = 0, per_unit = 1;  ///< of an all-to-all that lies on both sides of the level

  auto operator<=>(const Key&) const = default;
};
using Samples = std::vector<const LinkSample*>;

/// One message of one sample.
struct Observed {
  Bytes message;
  Seconds time;
};

std::string why_left_out(const LinkSample& sample) {
  if (sample.level.empty()) return "of no known level; give --level";
  if (sample.ranks < 2) return "of one rank";
  if (!believable(sample.bytes) || !believable(sample.median)) return "past belief";
  return {};
}

/// How much of an all-to-all's messages cross the level hangs on the group: each has its own fit.
Key key_of(const LinkSample& sample) {
  const bool both_sides = sample.operation == LinkOperation::all_to_all && sample.per_unit > 1 &&
                          sample.per_unit < sample.ranks;
  if (!both_sides) return {sample.level, sample.operation};
  return {sample.level, sample.operation, sample.ranks, sample.per_unit};
}

double relative_error(double fitted, double measured) {
  return std::abs(fitted - measured) / measured;
}

std::vector<FitPoint> fit_points(std::span<const LinkPoint> table) {
  std::vector<FitPoint> points;
  for (const LinkPoint& row : table) points.push_back({row.message.value, row.time.value});
  return points;
}

/// The median error of sizes that were left out, whose neighbours are on both sides.
double leave_one_out(std::span<const FitPoint> points) {
  if (points.size() < 3) return 0;
  const std::size_t inner = points.size() - 2;
  const std::size_t stride = (inner + kMostLeftOut - 1) / kMostLeftOut;
  std::vector<double> errors;
  for (std::size_t i = 1; i <= inner; i += stride) {
    std::vector<FitPoint> others(points.begin(), points.end());
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const FitLine line = line_at(fit_pieces(others), others, points[i].x);
    errors.push_back(relative_error(line.at(points[i].x), points[i].y));
  }
  return median(std::move(errors));
}

/// Do two neighbours lie off to the same side? One may be an outlier; two are a law that is missed.
bool misses_neighbours(std::span<const FitPiece> pieces, std::span<const FitPoint> points) {
  double before = 0;
  for (const FitPoint& point : points) {
    const double off = line_at(pieces, points, point.x).at(point.x) / point.y - 1;
    if (std::min(std::abs(off), std::abs(before)) > kBadFit && off * before > 0) return true;
    before = off;
  }
  return false;
}

/// α and B of a line; where bytes cost nothing that could be seen, the longest message's bytes are
/// taken to cost a thousandth of it.
LinkPiece piece_of(const FitLine& line, double from, double longest) {
  const double least_slope = line.intercept * 1e-3 / longest;
  return {Bytes{from}, Seconds{line.intercept}, Bandwidth{1 / std::max(line.slope, least_slope)},
          0};
}

std::vector<LinkPiece> link_pieces(std::span<const FitPiece> fitted,
                                   std::span<const FitPoint> points) {
  std::vector<LinkPiece> pieces;
  for (const FitPiece& piece : fitted) {
    const double from = pieces.empty() ? 0 : points[piece.first].x;
    pieces.push_back(piece_of(piece.line, from, points[piece.last - 1].x));
  }
  return pieces;
}

const LinkPiece& piece_at(std::span<const LinkPiece> pieces, Bytes message) {
  std::size_t found = 0;
  while (found + 1 < pieces.size() && pieces[found + 1].from <= message) ++found;
  return pieces[found];
}

double error_of(const LinkFit& fit, const Observed& one) {
  const LinkPiece& piece = piece_at(fit.pieces, one.message);
  return relative_error((piece.latency + one.message / piece.bandwidth).value, one.time.value);
}

/// Residuals of all samples into the fit and its pieces.
void judge(LinkFit& fit, std::span<const Observed> observed) {
  std::vector<double> all;
  std::vector<std::vector<double>> by_piece(fit.pieces.size());
  for (const Observed& one : observed) {
    all.push_back(error_of(fit, one));
    const LinkPiece& piece = piece_at(fit.pieces, one.message);
    by_piece[static_cast<std::size_t>(&piece - fit.pieces.data())].push_back(all.back());
  }
  fit.residual = median(all);
  for (std::size_t p = 0; p < fit.pieces.size(); ++p) {
    fit.pieces[p].uncertainty = std::max(quantile(by_piece[p], 0.9), fit.leave_one_out);
  }
}

/// What k flows get together over what one gets, of long messages.
double together(const LinkFit& fit, std::span<const LinkSample* const> concurrent) {
  std::map<std::int64_t, std::vector<double>> gains;
  for (const LinkSample* sample : concurrent) {
    const LinkRounds rounds = rounds_of(sample->operation, sample->ranks, sample->bytes);
    if (rounds.message * kLongMessages < fit.most) continue;
    const LinkPiece& piece = piece_at(fit.pieces, rounds.message);
    const Seconds alone = rounds.rounds * (piece.latency + rounds.message / piece.bandwidth);
    gains[sample->flows].push_back(static_cast<double>(sample->flows) * (alone / sample->median));
  }
  double most = 0;
  for (const auto& [flows, gain] : gains) {
    const double bounded = std::clamp(median(gain), 1.0, static_cast<double>(flows));
    most = std::max(most, bounded);
  }
  return most;
}

/// The algorithm in whose messages a collective is fitted.
std::string algorithm_of(LinkOperation operation) {
  switch (operation) {
    case LinkOperation::message:
    case LinkOperation::stream:
      return {};
    case LinkOperation::all_to_all:
      return "pairwise";
    case LinkOperation::all_reduce:
    case LinkOperation::reduce_scatter:
    case LinkOperation::all_gather:
      break;
  }
  return "ring";
}

LinkFit fit_one(const Key& key, std::int64_t ranks, std::span<const LinkSample* const> samples) {
  LinkFit fit;
  fit.level = key.level;
  fit.ranks = ranks;
  fit.per_unit = key.per_unit;
  if (key.operation != LinkOperation::message) fit.operation = name_of(key.operation);
  fit.algorithm = algorithm_of(key.operation);
  Samples alone, concurrent;
  for (const LinkSample* sample : samples) {
    (sample->flows > 1 ? concurrent : alone).push_back(sample);
  }
  fit.table = link_table(alone);
  if (fit.table.empty()) return fit;
  fit.least = fit.table.front().message;
  fit.most = fit.table.back().message;
  const std::vector<FitPoint> points = fit_points(fit.table);
  fit.leave_one_out = leave_one_out(points);
  const std::vector<FitPiece> fitted = fit_pieces(points);
  fit.tabulated = fit.leave_one_out > kBadFit || misses_neighbours(fitted, points);
  fit.pieces = fit.tabulated ? joined_pieces(fit.table) : link_pieces(fitted, points);
  std::vector<Observed> observed;
  for (const LinkSample* sample : alone) {
    const LinkRounds rounds = rounds_of(sample->operation, sample->ranks, sample->bytes);
    observed.push_back({rounds.message, sample->median / rounds.rounds});
  }
  judge(fit, observed);
  if (fit.residual > kBadFit && !fit.tabulated) {
    fit.tabulated = true;
    fit.pieces = joined_pieces(fit.table);
    judge(fit, observed);
  }
  fit.together = together(fit, concurrent);
  return fit;
}

/// The samples of each number of ranks that deserves a fit of its own.
std::map<std::int64_t, Samples> by_ranks(std::span<const LinkSample* const> samples) {
  std::map<std::int64_t, Samples> all;
  std::map<std::int64_t, std::set<double>> sizes;
  for (const LinkSample* sample : samples) {
    all[sample->ranks].push_back(sample);
    if (sample->flows == 1) sizes[sample->ranks].insert(sample->bytes.value);
  }
  if (sizes.size() < 2) return {};
  std::erase_if(all, [&](const auto& one) { return sizes[one.first].size() < kOwnSizes; });
  return all;
}

/// The innermost level from `first` on that holds so many ranks.
std::size_t level_for(const Cluster& cluster, std::size_t first, const LinkSample& sample) {
  for (std::size_t l = first; l < cluster.levels.size(); ++l) {
    if (cluster.capacity(l) >= sample.ranks) return l;
  }
  throw InputError(sample.source,
                   "measured " + std::to_string(sample.ranks) + " ranks across the tier " +
                       in_quotes(sample.level) + ", which cluster " + in_quotes(cluster.id) +
                       " does not have",
                   "name the cluster that was measured");
}

/// Ranks of one machine may be more than its devices, which they then share.
void require_room(const Cluster& cluster, std::size_t level, const LinkSample& sample) {
  if (sample.level == kMachineTier || sample.ranks <= cluster.capacity(level)) return;
  throw InputError(sample.source,
                   "measured " + std::to_string(sample.ranks) + " ranks at the level " +
                       in_quotes(sample.level) + ", which holds " +
                       std::to_string(cluster.capacity(level)) + " of cluster " +
                       in_quotes(cluster.id),
                   "name the level and the number of ranks that were measured");
}

void require_tier(const Cluster& cluster, const LinkSample& sample) {
  if (sample.level == kMachineTier || sample.level == kNetworkTier) return;
  std::string names;
  for (const Level& level : cluster.levels) names += (names.empty() ? "" : ", ") + level.name;
  throw InputError(sample.source,
                   "is said to be of the level " + in_quotes(sample.level) + ", which cluster " +
                       in_quotes(cluster.id) + " does not have",
                   "give --level one of its: " + names);
}

/// Of what takes `alone` by itself and ended after `beside`; up to `both` it was not alone.
double slowdown_until(Seconds both, Seconds alone, Seconds beside) {
  const double done = (alone - (beside - both)) / both;
  return std::max(0.0, 1 / std::max(done, kLeastDone) - 1);
}

}  // namespace

LinkFits fit_links(std::span<const LinkSample> samples) {
  LinkFits out;
  std::map<Key, Samples> groups;
  for (const LinkSample& sample : samples) {
    if (const std::string why = why_left_out(sample); !why.empty()) {
      ++out.left_out[why];
    } else {
      groups[key_of(sample)].push_back(&sample);
    }
  }
  for (const auto& [key, members] : groups) {
    LinkFit fit = fit_one(key, key.ranks, members);
    if (fit.pieces.empty()) {
      out.left_out["of concurrent flows, with no single one to compare"] += members.size();
      continue;
    }
    out.fits.push_back(std::move(fit));
    for (const auto& [ranks, same] : by_ranks(members)) {
      out.fits.push_back(fit_one(key, ranks, same));
    }
  }
  return out;
}

std::vector<LinkSample> on_levels_of(const Cluster& cluster, std::vector<LinkSample> samples) {
  for (LinkSample& sample : samples) {
    if (sample.level.empty()) continue;
    const auto own = std::find_if(cluster.levels.begin(), cluster.levels.end(),
                                  [&](const Level& level) { return level.name == sample.level; });
    if (own != cluster.levels.end()) {
      require_room(cluster, static_cast<std::size_t>(own - cluster.levels.begin()), sample);
      continue;
    }
    require_tier(cluster, sample);
    const std::size_t level = level_for(cluster, sample.level == kNetworkTier ? 1 : 0, sample);
    // A log counts ranks by host, and a unit of this level is more than a host.
    if (level > 1 && sample.per_unit > 1) sample.per_unit = cluster.capacity(level - 1);
    sample.level = cluster.levels[level].name;
  }
  return samples;
}

Overlap fit_overlap(std::span<const Interference> measured) {
  std::vector<double> computing, exchange;
  for (const Interference& one : measured) {
    const Seconds both = std::min(one.compute_beside, one.transfer_beside);
    computing.push_back(slowdown_until(both, one.compute_alone, one.compute_beside));
    exchange.push_back(slowdown_until(both, one.transfer_alone, one.transfer_beside));
  }
  return {median(std::move(computing)), median(std::move(exchange))};
}

}  // namespace oracle
