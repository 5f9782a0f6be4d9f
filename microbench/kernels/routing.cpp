#include "microbench/kernels/routing.h"

#include <utility>

#include "oracle/base/error.h"
#include "oracle/graph/expert_rows.h"

namespace oracle {
namespace {

std::int64_t positions_of(const Extents& extents) {
  return extents.depth * extents.height * extents.width;
}

/// Hands out the rows of one sample.
class Router {
 public:
  Router(const Routing& routing, std::span<const float> scores)
      : routing_(routing),
        scores_(scores),
        made_(static_cast<std::size_t>(routing.rows), kNoToken),
        chosen_(scores.size(), false) {
    for (std::int64_t e = 0; e < routing.experts; ++e) next_.push_back(begin_of(e));
  }

  std::vector<std::int32_t> run() {
    for (std::int64_t choice = 0; choice < routing_.per_token; ++choice) {
      for (std::int64_t token = 0; token < routing_.tokens; ++token) place(token);
    }
    return std::move(made_);
  }

 private:
  std::int64_t begin_of(std::int64_t expert) const {
    return first_row_of(expert, routing_.rows, routing_.experts);
  }
  std::size_t at(std::int64_t expert, std::int64_t token) const {
    return static_cast<std::size_t>(expert * routing_.tokens + token);
  }
  bool has_room(std::int64_t expert) const {
    return next_[static_cast<std::size_t>(expert)] < begin_of(expert + 1);
  }

  void place(std::int64_t token) {
    std::int64_t best = routing_.experts;
    for (std::int64_t e = 0; e < routing_.experts; ++e) {
      if (chosen_[at(e, token)] || !has_room(e)) continue;
      if (best == routing_.experts || scores_[at(e, token)] > scores_[at(best, token)]) best = e;
    }
    if (best == routing_.experts) return;
    chosen_[at(best, token)] = true;
    std::int64_t& row = next_[static_cast<std::size_t>(best)];
    made_[static_cast<std::size_t>(row++)] = static_cast<std::int32_t>(token);
  }

  const Routing& routing_;
  std::span<const float> scores_;
  std::vector<std::int32_t> made_;
  std::vector<bool> chosen_;        ///< by expert and token
  std::vector<std::int64_t> next_;  ///< row of each expert
};

}  // namespace

Routing routing_of(const LocalLayer& layer) {
  const bool dispatches = layer.layer->routed == Routed::dispatch;
  const Extents& scores = layer.inputs.back();
  return {positions_of(scores), positions_of(dispatches ? layer.output : layer.inputs[0]),
          scores.channels, layer.layer->per_token};
}

std::vector<std::int32_t> tokens_of_rows(const Routing& routing, std::span<const float> scores) {
  return Router(routing, scores).run();
}

std::int64_t experts_of(const LocalLayer& layer) {
  return layer.rows > 0 ? layer.rows : layer.layer->experts;
}

std::vector<ExpertRun> expert_runs(const LocalLayer& layer) {
  const std::int64_t experts = experts_of(layer);
  const auto begin_of = [&](std::int64_t e) {
    return first_row_of(layer.first_row + e, layer.whole.width, layer.layer->experts) -
           layer.place.width;
  };
  if (begin_of(0) != 0 || begin_of(experts) != layer.output.width) {
    throw InputError(layer.layer->name,
                     "a rank has a part of an expert's rows, which no kernel runs",
                     "shard experts and not the positions of the text");
  }
  std::vector<ExpertRun> runs;
  for (std::int64_t e = 0; e < experts; ++e) {
    const std::int64_t begin = begin_of(e), rows = begin_of(e + 1) - begin;
    if (!runs.empty() && runs.back().rows == rows) {
      ++runs.back().experts;
    } else {
      runs.push_back({e, 1, begin, rows});
    }
  }
  return runs;
}

}  // namespace oracle
