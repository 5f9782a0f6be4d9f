#include "oracle/search/per_layer/per_layer.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/base/parallel.h"
#include "oracle/base/pattern.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/exchanges/gradient_exchange.h"

namespace oracle {
namespace per_layer {
namespace {

/// Meshes that are searched thoroughly.
constexpr std::size_t kThorough = 6;

bool cut_alike(const Strategy& strategy, std::size_t a, std::size_t b) {
  return strategy.mesh[a].cut == strategy.mesh[b].cut &&
         std::all_of(strategy.rules.begin(), strategy.rules.end(),
                     [&](const LayerRule& rule) { return rule.cuts[a] == rule.cuts[b]; });
}

void extend(std::int64_t left, std::size_t axes, std::vector<std::int64_t>& mesh,
            std::vector<std::vector<std::int64_t>>& meshes) {
  if (mesh.size() + 1 == axes) {
    meshes.push_back(mesh);
    meshes.back().push_back(left);
    return;
  }
  for (std::int64_t degree = 2; degree < left; ++degree) {
    if (left % degree != 0) continue;
    mesh.push_back(degree);
    extend(left / degree, axes, mesh, meshes);
    mesh.pop_back();
  }
}

std::size_t prime_factors(std::int64_t number) {
  std::size_t count = 0;
  for (std::int64_t prime = 2; prime * prime <= number; ++prime) {
    for (; number % prime == 0; number /= prime) ++count;
  }
  return count + (number > 1 ? 1 : 0);
}

MeshRequest request_on(const std::vector<std::int64_t>& degrees, const SearchRequest& request,
                       const std::vector<Cut>& cuts, double known) {
  MeshRequest mesh{.degrees = degrees,
                   .training = request.training,
                   .base = request.base,
                   .cuts = cuts,
                   .known = known};
  mesh.base.chunks = 1;
  return mesh;
}

/// A look at a mesh that takes a fraction of a search: what is it worth, what can it not beat?
MeshRequest quick(MeshRequest request) {
  request.uniform = false;
  request.expansions /= 8;
  request.evaluations = 40;
  request.exact_states = 200;
  request.exact_evaluations = 200;
  return request;
}

class MeshesSearch {
 public:
  MeshesSearch(const Graph& graph, const Cluster& cluster, const Profile& profile,
               const SearchRequest& request)
      : graph_(graph),
        cluster_(cluster),
        profile_(profile),
        request_(request),
        cuts_(cuts_for(graph)) {}

  PerLayerAnswer run() {
    ensure(chosen_exchange(request_.base.exchange).row == nullptr,
           "layer by layer gradients are summed as they are");
    answer_.named = search(graph_, cluster_, profile_, request_);
    if (!answer_.named.candidates.empty()) {
      const Candidate& first = answer_.named.candidates.front();
      answer_.best = first.strategy;
      answer_.step = first.step.time;
    }
    const bool one_rank = request_.ranks < 2 || request_.ranks > cluster_.ranks();
    if (!one_rank)
      meshes_ = finest_meshes(request_.ranks, std::min(request_.space.most_axes, kMostAxes));
    answer_.meshes = static_cast<std::int64_t>(meshes_.size());
    search_meshes();
    conclude();
    return std::move(answer_);
  }

 private:
  double known() const {
    return answer_.best ? answer_.step.value : std::numeric_limits<double>::infinity();
  }

  void search_all(const std::vector<std::size_t>& which, bool thorough) {
    const double known_before = known();
    std::vector<MeshAnswer> found(which.size());
    parallel_for(
        static_cast<std::int64_t>(which.size()), request_.threads,
        [&](std::int64_t i) {
          const auto index = static_cast<std::size_t>(i);
          const MeshRequest full = request_on(meshes_[which[index]], request_, cuts_, known_before);
          found[index] = search_mesh(graph_, cluster_, profile_, thorough ? full : quick(full));
        },
        {});
    for (std::size_t i = 0; i < which.size(); ++i) {
      MeshAnswer& own = answers_[which[i]];
      const Seconds bound = std::max(own.bound, found[i].bound);
      take(found[i]);
      own = std::move(found[i]);
      own.bound = bound;
    }
  }

  void take(const MeshAnswer& found) {
    answer_.evaluations += found.evaluations;
    if (!found.best || (answer_.best && found.best->step >= answer_.step)) return;
    answer_.best = found.best->strategy;
    answer_.step = found.best->step;
  }

  void search_meshes() {
    answers_.resize(meshes_.size());
    std::vector<std::size_t> order(meshes_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    search_all(order, false);
    std::erase_if(order, [&](std::size_t i) { return answers_[i].proven; });
    const auto promise = [&](std::size_t i) {
      return answers_[i].best ? answers_[i].best->step.value
                              : std::numeric_limits<double>::infinity();
    };
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return promise(a) < promise(b); });
    if (order.size() > kThorough) order.resize(kThorough);
    search_all(order, true);
  }

  /// A mesh whose own best is proven has no assignment below that; the others have their bounds.
  void conclude() {
    answer_.bound = answer_.step;
    answer_.proven = answer_.best.has_value();
    for (const MeshAnswer& mesh : answers_) {
      if (mesh.proven || mesh.bound >= answer_.step) continue;
      answer_.proven = false;
      answer_.bound = std::min(answer_.bound, mesh.bound);
    }
    if (!answer_.best) return;
    answer_.gap = answer_.step / answer_.bound - 1;
    if (!answer_.named.candidates.empty()) {
      answer_.gain = answer_.named.candidates.front().step.time / answer_.step - 1;
    }
    simplify();
    list_runs();
  }

  void simplify() {
    const Strategy coarse = coarsened(*answer_.best);
    const Evaluation evaluation = evaluate(graph_, cluster_, profile_, coarse, request_.training);
    if (evaluation.fits() && evaluation.fits()->step.time <= answer_.step) answer_.best = coarse;
  }

  std::vector<Cut> cuts_of(const Layer& layer) const {
    for (const LayerRule& rule : answer_.best->rules) {
      if (matches(rule.pattern, layer.name)) return rule.cuts;
    }
    std::vector<Cut> cuts;
    for (const MeshAxis& axis : answer_.best->mesh) cuts.push_back(axis.cut);
    return cuts;
  }

  void list_runs() {
    for (LayerId id = 1; id < graph_.size(); ++id) {
      if (graph_[id].mixing != Mixing::contraction) continue;
      const std::vector<Cut> cuts = cuts_of(graph_[id]);
      Strategy own;
      for (std::size_t a = 0; a < cuts.size(); ++a) {
        own.mesh.push_back({answer_.best->mesh[a].degree, cuts[a]});
      }
      own = coarsened(own);
      if (answer_.runs.empty() || answer_.runs.back().mesh != own.mesh) {
        answer_.runs.push_back({id, id, 0, own.mesh});
      }
      answer_.runs.back().last = id;
      ++answer_.runs.back().contractions;
    }
  }

  const Graph& graph_;
  const Cluster& cluster_;
  const Profile& profile_;
  const SearchRequest& request_;
  std::vector<Cut> cuts_;
  std::vector<std::vector<std::int64_t>> meshes_;
  std::vector<MeshAnswer> answers_;
  PerLayerAnswer answer_;
};

}  // namespace

std::vector<std::vector<std::int64_t>> finest_meshes(std::int64_t ranks, std::size_t most_axes) {
  std::vector<std::vector<std::int64_t>> meshes;
  std::vector<std::int64_t> mesh;
  if (ranks > 1) extend(ranks, std::min(most_axes, prime_factors(ranks)), mesh, meshes);
  return meshes;
}

std::vector<Cut> cuts_for(const Graph& graph) {
  std::vector<Cut> cuts = {Cut::none, Cut::sample, Cut::filter, Cut::channel};
  for (const Cut cut : {Cut::depth, Cut::height, Cut::width}) {
    if (finds_parts(graph, cut)) cuts.push_back(cut);
  }
  return cuts;
}

Strategy coarsened(const Strategy& strategy) {
  Strategy coarse = strategy;
  for (std::size_t a = coarse.mesh.size(); a-- > 1;) {
    if (!cut_alike(coarse, a - 1, a)) continue;
    const auto at = static_cast<std::ptrdiff_t>(a);
    coarse.mesh[a - 1].degree *= coarse.mesh[a].degree;
    coarse.mesh.erase(coarse.mesh.begin() + at);
    for (LayerRule& rule : coarse.rules) rule.cuts.erase(rule.cuts.begin() + at);
  }
  return coarse;
}

}  // namespace per_layer

PerLayerAnswer search_per_layer(const Graph& graph, const Cluster& cluster, const Profile& profile,
                                const SearchRequest& request) {
  return per_layer::MeshesSearch(graph, cluster, profile, request).run();
}

}  // namespace oracle
