#include "oracle/io/measurements/nccl.h"

#include <algorithm>
#include <array>
#include <cmath>
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

void add_nccl_run(const NcclRun& run, const std::string& name, const MeasurementHints& hints,
                  Measurements& into) {
  const Ranks ranks = ranks_of(run, hints);
  std::string_view named = nccl_operation_in(run.operation);
  if (named.empty()) named = nccl_operation_in(name.substr(name.find_last_of('/') + 1));
  const std::optional<LinkOperation> operation = operation_of(run, named, hints, ranks.all);
  std::string unfit;
  if (!operation) {
    unfit = named.empty() ? "of an operation that is not said"
                          : "of " + std::string(named) + ", which is not a collective of a plan";
  } else if (ranks.all < 2) {
    unfit = ranks.all == 0 ? "of a number of ranks that is not said" : "of one rank";
  }
  for (const NcclRow& row : run.rows) {
    for (const NcclSide& side : row.sides) {
      const std::string why = unfit.empty() ? why_refused(row, side) : unfit;
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
