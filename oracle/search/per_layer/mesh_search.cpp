#include "oracle/search/per_layer/mesh_search.h"

#include <algorithm>

#include "oracle/search/per_layer/descent.h"
#include "oracle/search/per_layer/exact.h"
#include "oracle/search/per_layer/patterns.h"
#include "oracle/search/per_layer/sweep.h"

namespace oracle::per_layer {
namespace {

/// Why the machine can run no strategy of this mesh at all, if so.
std::optional<Infeasible> refused_by_machine(const Graph& graph, const Cluster& cluster,
                                             const MeshRequest& request) {
  Strategy whole = request.base;
  whole.rules.clear();
  whole.mesh.clear();
  for (const std::int64_t degree : request.degrees) whole.mesh.push_back({degree, Cut::none});
  const auto plan = partition(graph, whole, request.training, cluster);
  const Infeasible* refusal = std::get_if<Infeasible>(&plan);
  const bool for_good = refusal != nullptr && (refusal->constraint == Constraint::ranks ||
                                               refusal->constraint == Constraint::number_format);
  return for_good ? std::optional(*refusal) : std::nullopt;
}

/// Branches per evaluation that a proof may follow.
constexpr std::int64_t kBranchesPerEvaluation = 100;
/// Evaluations take the longer the more layers there are: past so many layers fewer are granted.
constexpr std::int64_t kLayersInFull = 60;

class MeshSearch {
 public:
  MeshSearch(const Graph& graph, const Cluster& cluster, const Profile& profile,
             const MeshRequest& request)
      : request_(request),
        problem_(graph, cluster, profile, request.training, request.degrees, request.cuts,
                 request.base),
        expander_(problem_),
        judge_(problem_, std::numeric_limits<std::int64_t>::max()) {}

  MeshAnswer run() {
    if (request_.uniform) judge_uniform();
    if (problem_.steps().empty()) return answer(worst(), true);
    judge_.grant(granted(request_.evaluations));
    const double bound = judge_sweep(problem_.bounds());
    if (judge_.nearest() && judge_.nearest()->constraint == Constraint::memory) {
      judge_sweep(memory_weightings());
    }
    start_from_uniform();
    descend(problem_, paths_, judge_);
    const bool proven = few_states_ && try_to_prove();
    return answer(proven ? worst() : std::min(bound, worst()), proven || bound >= worst());
  }

 private:
  double worst() const { return std::min(judge_.worst(), request_.known); }

  MeshAnswer answer(double bound, bool proven) const {
    MeshAnswer answer{judge_.best(), judge_.nearest(), Seconds{bound}, proven,
                      judge_.evaluations()};
    if (answer.best && !answer.best->path.empty()) {
      answer.best->strategy = judge_.strategy(answer.best->path, true);
    }
    return answer;
  }

  std::int64_t granted(std::int64_t evaluations) const {
    const std::int64_t layers = problem_.graph().size();
    return evaluations * kLayersInFull / std::max(layers, kLayersInFull);
  }

  Strategy uniform(const std::vector<Cut>& cuts) const {
    Strategy strategy = problem_.mesh().plan.strategy;
    for (std::size_t a = 0; a < cuts.size(); ++a) strategy.mesh[a].cut = cuts[a];
    return strategy;
  }

  void judge_uniform() {
    for (std::size_t c = 0; c < problem_.choices().size(); ++c) {
      if (!judge_.look_at(uniform(problem_.choices()[c]))) continue;
      best_uniform_ = static_cast<std::uint16_t>(c);
    }
  }

  /// Where a strategy that cuts all layers alike leads, the descent begins at the assignment that
  /// is nearest to it.
  void start_from_uniform() {
    if (!judge_.best() || !judge_.best()->path.empty()) return;
    Path path;
    for (std::size_t k = 0; k < problem_.steps().size(); ++k) {
      const std::uint16_t own = choice_at(problem_, k, best_uniform_);
      path.push_back(own != kRefused ? own : problem_.steps()[k].choices.front());
    }
    paths_.push_back(path);
    judge_.look_at(path);
  }

  /// Judges what the sweep finds; returns what no assignment can beat.
  double judge_sweep(const std::vector<Weighting>& weightings) {
    SweepOptions options{.weightings = weightings, .worst = worst()};
    spread_expansions(options);
    const Sweep swept = sweep(problem_, expander_, options);
    for (std::size_t w = 0; w < weightings.size(); ++w) {
      if (swept.paths[w].empty()) continue;
      paths_.push_back(swept.paths[w]);
      judge_.look_at(swept.paths[w]);
    }
    const std::size_t most = *std::max_element(swept.states.begin(), swept.states.end());
    few_states_ = few_states_ && most <= request_.exact_states;
    return swept.bound;
  }

  /// All choices where states enough remain, else as many of both as go.
  void spread_expansions(SweepOptions& options) const {
    constexpr std::size_t kFewChoices = 48, kManyStates = 120;
    const std::size_t each =
        static_cast<std::size_t>(request_.expansions) / problem_.steps().size();
    options.choices =
        std::min(std::max(each / kManyStates, kFewChoices), problem_.choices().size());
    options.beam = std::max<std::size_t>(each / options.choices, 2 * kMostWeightings);
  }

  /// The first bounds with memory at several prices, and memory alone.
  std::vector<Weighting> memory_weightings() const {
    const std::vector<Weighting> bounds = problem_.bounds();
    const Infeasible& shortage = *judge_.nearest();
    const double scale = judge_.best() ? judge_.best()->step.value : least_step(bounds);
    std::vector<Weighting> weightings = {bounds[0]};
    for (const double price : {0.1, 0.5, 2.0, 8.0}) {
      Weighting weighting = bounds[bounds.size() / 2];
      weighting.weight[static_cast<std::size_t>(Part::memory)] = price * scale / shortage.available;
      weighting.bounds = false;
      weightings.push_back(weighting);
    }
    Weighting memory;
    memory.weight[static_cast<std::size_t>(Part::memory)] = 1;
    memory.bounds = false;
    weightings.push_back(memory);
    return weightings;
  }

  double least_step(const std::vector<Weighting>& bounds) const {
    double sum = 0;
    for (const Step& step : problem_.steps()) sum += problem_.least(step, bounds[0]);
    return sum;
  }

  bool try_to_prove() {
    SweepOptions options{.weightings = problem_.bounds(),
                         .beam = request_.exact_states,
                         .choices = problem_.choices().size(),
                         .worst = worst(),
                         .links = true};
    const Sweep swept = sweep(problem_, expander_, options);
    if (!swept.complete) return false;
    const std::int64_t evaluations = granted(request_.exact_evaluations);
    judge_.grant(evaluations);
    return prove(problem_, swept, options.weightings, kBranchesPerEvaluation * evaluations, judge_);
  }

  const MeshRequest& request_;
  Problem problem_;
  Expander expander_;
  Judge judge_;
  std::uint16_t best_uniform_ = 0;
  std::vector<Path> paths_;
  bool few_states_ = true;
};

}  // namespace

MeshAnswer search_mesh(const Graph& graph, const Cluster& cluster, const Profile& profile,
                       const MeshRequest& request) {
  if (auto refusal = refused_by_machine(graph, cluster, request)) {
    return {std::nullopt, std::move(refusal), Seconds{request.known}, true, 0};
  }
  return MeshSearch(graph, cluster, profile, request).run();
}

}  // namespace oracle::per_layer
