#include "oracle/io/measurements/nccl.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>

namespace oracle {
namespace {

struct Program {
  std::string_view name;  ///< as it is spelt in file names and command lines
  std::string_view operation;
};

/// sendrecv passes one message on to the next rank. The longer name stands before one that is part
/// of it. What has no operation is no collective of the engine.
constexpr std::array<Program, 13> kPrograms = {{{"all_reduce", "all_reduce"},
                                                {"allreduce", "all_reduce"},
                                                {"reduce_scatter", "reduce_scatter"},
                                                {"all_gather", "all_gather"},
                                                {"allgather", "all_gather"},
                                                {"alltoall", "all_to_all"},
                                                {"all_to_all", "all_to_all"},
                                                {"sendrecv", "message"},
                                                {"broadcast", "broadcast"},
                                                {"hypercube", "hypercube"},
                                                {"reduce_perf", "reduce"},
                                                {"scatter_perf", "scatter"},
                                                {"gather_perf", "gather"}}};

/// Bandwidths are printed with two decimals: below that too coarse to tell factors apart.
constexpr double kLeastBandwidth = 1;

bool near(double a, double b) { return std::abs(a - b) < 0.02 * b; }

std::optional<LinkOperation> by_factor(const NcclRow& row, const NcclSide& side,
                                       std::int64_t ranks) {
  if (!side.algorithm_bandwidth || !side.bus_bandwidth || ranks < 3 || row.rooted) return {};
  if (*side.algorithm_bandwidth < kLeastBandwidth) return {};
  const double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  const double factor = *side.bus_bandwidth / *side.algorithm_bandwidth;
  if (near(factor, 2 * share)) return LinkOperation::all_reduce;
  if (near(factor, share) && row.reduces) return LinkOperation::reduce_scatter;
  return {};
}

/// busbw/algbw of an operation among n ranks (nccl-tests, doc/PERFORMANCE.md).
double factor_of(LinkOperation operation, std::int64_t ranks) {
  const double share = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  if (operation == LinkOperation::message || operation == LinkOperation::stream) return 1;
  return operation == LinkOperation::all_reduce ? 2 * share : share;
}

/// What two decimals leave open of busbw/algbw, and a little for the rounded time.
double factor_error(const NcclSide& side) {
  constexpr double kHalfDigit = 0.005, kSlack = 1e-3;
  const double algorithm = *side.algorithm_bandwidth, bus = *side.bus_bandwidth;
  return (kHalfDigit + kHalfDigit * bus / algorithm) / algorithm + kSlack;
}

bool has_factor(const NcclSide& side) {
  return side.algorithm_bandwidth && side.bus_bandwidth &&
         *side.algorithm_bandwidth >= kLeastBandwidth;
}

bool agrees(const NcclSide& side, LinkOperation operation, std::int64_t ranks) {
  if (!has_factor(side)) return true;
  const double factor = *side.bus_bandwidth / *side.algorithm_bandwidth;
  return std::abs(factor - factor_of(operation, ranks)) <= factor_error(side);
}

/// The only number of ranks with which every side agrees; 0 where there are none or several.
std::int64_t ranks_by_factor(const NcclRun& run, LinkOperation operation) {
  constexpr std::int64_t kMostRanks = 256;
  std::vector<NcclSide> sides;
  for (const NcclRow& row : run.rows) {
    std::copy_if(row.sides.begin(), row.sides.end(), std::back_inserter(sides), has_factor);
  }
  std::int64_t found = 0;
  for (std::int64_t n = 2; n <= kMostRanks && !sides.empty(); ++n) {
    const bool all = std::all_of(sides.begin(), sides.end(),
                                 [&](const NcclSide& side) { return agrees(side, operation, n); });
    if (all && found > 0) return 0;
    if (all) found = n;
  }
  return found;
}

struct Ranks {
  std::int64_t all = 0, per_unit = 1;
  std::string level;
};

Ranks ranks_of(const NcclRun& run, const MeasurementHints& hints) {
  Ranks ranks{hints.ranks, hints.per_unit, hints.level};
  if (run.ranks_by_host.empty()) return ranks;
  ranks = {0, 1, hints.level};
  for (const auto& [host, count] : run.ranks_by_host) {
    ranks.all += count;
    ranks.per_unit = std::max(ranks.per_unit, count);
  }
  const bool one_host = run.ranks_by_host.size() == 1;
  if (one_host) ranks.per_unit = 1;
  if (ranks.level.empty()) ranks.level = one_host ? kMachineTier : kNetworkTier;
  return ranks;
}

std::optional<LinkOperation> operation_of(const NcclRun& run, std::string_view named,
                                          const MeasurementHints& hints, std::int64_t ranks) {
  if (!named.empty()) return link_operation_named(named);
  if (hints.operation) return hints.operation;
  for (auto row = run.rows.rbegin(); row != run.rows.rend(); ++row) {
    for (const NcclSide& side : row->sides) {
      if (const auto found = by_factor(*row, side, ranks)) return found;
    }
  }
  return std::nullopt;
}

std::string why_refused(const NcclRow& row, const NcclSide& side) {
  if (!(row.bytes > 0)) return "of no bytes";
  if (!side.microseconds || !(*side.microseconds > 0)) return "without a time";
  if (!believable(Seconds{*side.microseconds * 1e-6}) || !believable(Bytes{row.bytes})) {
    return "past belief";
  }
  if (side.wrong > 0) return "with wrong results";
  return {};
}

}  // namespace

std::string_view nccl_operation_in(std::string_view text) {
  std::size_t at = std::string_view::npos;
  std::string_view found;
  for (const Program& program : kPrograms) {
    const std::size_t place = text.find(program.name);
    if (place < at) {
      at = place;
      found = program.operation;
    }
  }
  return found;
}

void NcclRun::take_rank(const std::string& number, const std::string& host) {
  ++ranks_by_host[host];
  if (!number.empty() && !ranks.insert(number).second) repeated = true;
}

void add_nccl_run(const NcclRun& run, const std::string& name, const MeasurementHints& hints,
                  Measurements& into) {
  Ranks ranks = ranks_of(run, hints);
  std::string_view named = nccl_operation_in(run.operation);
  if (named.empty()) named = nccl_operation_in(name.substr(name.find_last_of('/') + 1));
  const std::optional<LinkOperation> operation = operation_of(run, named, hints, ranks.all);
  if (operation && ranks.all == 0) ranks.all = ranks_by_factor(run, *operation);
  std::string unfit;
  if (run.repeated) {
    unfit =
        "of several tests at the same time (a rank is there twice; build nccl-tests with MPI=1)";
  } else if (!operation) {
    unfit = named.empty() ? "of an operation that is not said"
                          : "of " + std::string(named) + ", which is not a collective of a plan";
  } else if (ranks.all < 2) {
    unfit = ranks.all == 0 ? "of a number of ranks that is not said" : "of one rank";
  }
  for (const NcclRow& row : run.rows) {
    for (const NcclSide& side : row.sides) {
      std::string why = unfit.empty() ? why_refused(row, side) : unfit;
      if (why.empty() && !agrees(side, *operation, ranks.all)) {
        why = "whose bandwidths are not those of " + std::to_string(ranks.all) + " ranks";
      }
      if (!why.empty()) {
        ++into.refused[why];
        continue;
      }
      const Seconds time{*side.microseconds * 1e-6};
      into.links.push_back({ranks.level, *operation, ranks.all, ranks.per_unit, 1, Bytes{row.bytes},
                            time, time, time, 1, run.version});
    }
  }
}

}  // namespace oracle
