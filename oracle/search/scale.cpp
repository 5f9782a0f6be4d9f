#include "oracle/search/scale.h"

#include <algorithm>

#include "oracle/base/error.h"

namespace oracle {
namespace {

Evaluation best_at(const Graph& graph, const Cluster& cluster, const Profile& profile,
                   const ScaleRequest& request, std::int64_t ranks, const Training& training) {
  SearchRequest search_request = request.search;
  search_request.ranks = ranks;
  search_request.training = training;
  search_request.keep = 1;
  const Ranking ranking = search(graph, cluster, profile, search_request);
  if (!ranking.candidates.empty()) {
    return evaluate(graph, cluster, profile, ranking.candidates.front().strategy, training,
                    Detail::events);
  }
  Evaluation nothing;
  nothing.training = training;
  nothing.ranks = ranks;
  if (!ranking.refused.empty()) {
    nothing.strategy = ranking.refused.front().nearest;
    nothing.result = ranking.refused.front().reason;
  }
  return nothing;
}

bool communication_dominates(const Fits& fits) {
  const Breakdown& parts = fits.timeline.breakdown;
  return parts.exposed_activation + parts.exposed_gradient >
         parts.forward + parts.backward + parts.update;
}

}  // namespace

Strategy fill(const Strategy& strategy, std::int64_t ranks) {
  Strategy filled = strategy;
  std::int64_t others = 1;
  MeshAxis* open = nullptr;
  for (MeshAxis& axis : filled.mesh) {
    if (axis.degree == 0) {
      open = &axis;
    } else {
      others *= axis.degree;
    }
  }
  if (open == nullptr) {
    throw InputError("--strategy", "every axis has a degree, so the mesh cannot grow",
                     "leave out the degree of one axis, as in \"data,filter:4\"");
  }
  if (ranks % others != 0) {
    throw InputError("--strategy",
                     std::to_string(others) + " ranks of the other axes do not divide " +
                         std::to_string(ranks) + " GPUs",
                     "choose counts that are multiples of " + std::to_string(others));
  }
  open->degree = ranks / others;
  return filled;
}

ScaleStudy scale(const Graph& graph, const Cluster& cluster, const Profile& profile,
                 const ScaleRequest& request) {
  ScaleStudy study;
  double first_per_rank = 0;
  for (const std::int64_t ranks : request.counts) {
    Training training = request.training;
    if (request.weak) training.batch *= ranks;
    ScalePoint point;
    point.ranks = ranks;
    point.batch = training.batch;
    point.evaluation = request.strategy
                           ? evaluate(graph, cluster, profile, fill(*request.strategy, ranks),
                                      training, Detail::events)
                           : best_at(graph, cluster, profile, request, ranks, training);
    if (const Fits* fits = point.evaluation.fits()) {
      const double per_rank = fits->samples_per_second / static_cast<double>(ranks);
      if (first_per_rank == 0) first_per_rank = per_rank;
      point.efficiency = per_rank / first_per_rank;
      if (!study.crossover && communication_dominates(*fits)) study.crossover = ranks;
    }
    study.points.push_back(std::move(point));
  }
  if (!study.points.empty()) {
    Training training = request.training;
    training.batch = study.points.back().batch;
    study.limits = cut_limits(graph, cluster, training);
  }
  return study;
}

}  // namespace oracle
