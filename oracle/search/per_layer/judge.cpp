#include "oracle/search/per_layer/judge.h"

#include <limits>

#include "oracle/search/family_search.h"
#include "oracle/search/per_layer/patterns.h"

namespace oracle::per_layer {

double Judge::worst() const {
  return best_ ? best_->step.value : std::numeric_limits<double>::infinity();
}

Strategy Judge::strategy(const Path& path, bool brief) const {
  std::vector<LayerCuts> assignment;
  for (std::size_t k = 0; k < path.size(); ++k) {
    assignment.push_back({problem_.steps()[k].contraction, problem_.choices()[path[k]]});
  }
  return strategy_of(problem_.graph(), assignment, problem_.mesh().plan.strategy, brief);
}

bool Judge::look_at(const Path& path) {
  if (spent() || path.empty() || !seen_.insert(path).second) return false;
  return judge(strategy(path, false), path);
}

bool Judge::look_at(const Strategy& strategy) { return !spent() && judge(strategy, {}); }

bool Judge::judge(const Strategy& strategy, const Path& path) {
  ++evaluations_;
  const Mesh& mesh = problem_.mesh();
  const Evaluation evaluation =
      evaluate(mesh.graph, mesh.cluster, mesh.profile, strategy, mesh.plan.training);
  const Fits* fits = evaluation.fits();
  if (fits == nullptr) {
    const Infeasible& refusal = *evaluation.infeasible();
    if (!nearest_ || shortfall(refusal) < shortfall(*nearest_)) nearest_ = refusal;
    return false;
  }
  if (best_ && fits->step.time >= best_->step) return false;
  best_ = Found{strategy, fits->step.time, fits->memory.total(), path};
  return true;
}

}  // namespace oracle::per_layer
