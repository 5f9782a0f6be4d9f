// How far each way to cut goes on a network: the table of limits, asked of the cuts themselves.

#include <algorithm>

#include "oracle/plan/assignment.h"
#include "oracle/plan/stages.h"
#include "oracle/plan/strategy/resolve.h"
#include "oracle/search/scale.h"

namespace oracle {
namespace {

constexpr std::int64_t kFarTooMany = std::int64_t{1} << 30;

std::optional<Infeasible> refusal_at(const Graph& graph, Cut cut, std::int64_t degree) {
  Strategy strategy;
  strategy.mesh = {{degree, cut}};
  auto assigned = assign(graph, resolve(strategy, graph));
  if (auto* refusal = std::get_if<Infeasible>(&assigned)) return std::move(*refusal);
  return std::nullopt;
}

/// Lets each refusal lower the degree until none is left; the last refusal names the limit.
void descend(const Graph& graph, Cut cut, CutLimit& limit) {
  limit.most = kFarTooMany;
  while (limit.most > 1) {
    const auto refusal = refusal_at(graph, cut, limit.most);
    if (!refusal) return;
    limit.subject = refusal->subject;
    const auto available = static_cast<std::int64_t>(refusal->available);
    const bool names_a_degree = refusal->constraint != Constraint::halo && available < limit.most;
    limit.most = std::max<std::int64_t>(1, names_a_degree ? available : limit.most - 1);
  }
}

/// Grids depend on the degree's factors, so powers of two are tried one by one.
void double_up(const Graph& graph, Cut cut, CutLimit& limit) {
  for (std::int64_t degree = 2; degree < kFarTooMany; degree *= 2) {
    if (const auto refusal = refusal_at(graph, cut, degree)) {
      limit.subject = refusal->subject;
      return;
    }
    limit.most = degree;
  }
  limit.most = kFarTooMany;
}

void limit_stages(const Graph& graph, CutLimit& limit) {
  const auto cuts = cut_stages(graph, {}, kFarTooMany, DataType::fp32);
  const auto& refusal = std::get<Infeasible>(cuts);
  limit.most = static_cast<std::int64_t>(refusal.available);
  limit.subject = refusal.subject;
}

std::int64_t most_in_memory(const Graph& graph, const Cluster& cluster, const Training& training,
                            const CutLimit& limit) {
  std::int64_t most = 0;
  const std::int64_t end = std::min(limit.most, cluster.ranks());
  for (std::int64_t degree = 1; degree <= end; degree *= 2) {
    Strategy strategy;
    strategy.mesh = {{degree, limit.cut}};
    if (evaluate(graph, cluster, Profile{}, strategy, training).fits() != nullptr) most = degree;
  }
  return most;
}

}  // namespace

std::vector<CutLimit> cut_limits(const Graph& graph, const Cluster& cluster,
                                 const Training& training) {
  std::vector<CutLimit> limits;
  for (const CutRow& row : all_cuts()) {
    if (row.axis_name.empty() || row.cut == Cut::none || !finds_parts(graph, row.cut)) continue;
    CutLimit limit{row.cut, std::string(row.limit), 1, "", 0};
    if (row.cut == Cut::sample) {
      limit.most = training.batch;
      limit.subject = "batch";
    } else if (row.cut == Cut::pipeline) {
      limit_stages(graph, limit);
    } else if (row.cut == Cut::spatial) {
      double_up(graph, row.cut, limit);
    } else {
      descend(graph, row.cut, limit);
    }
    if (limit.most == kFarTooMany) continue;  // the network has nothing to cut that way
    limit.most_in_memory = most_in_memory(graph, cluster, training, limit);
    limits.push_back(std::move(limit));
  }
  return limits;
}

}  // namespace oracle
