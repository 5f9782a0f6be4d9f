#include "oracle/search/per_layer/exact.h"

#include <algorithm>

namespace oracle::per_layer {
namespace {

class Brancher {
 public:
  Brancher(const Problem& problem, const Sweep& sweep, const std::vector<Weighting>& weightings,
           std::int64_t branches, Judge& judge)
      : problem_(problem), weightings_(weightings), left_(branches), judge_(judge) {
    const std::size_t steps = sweep.links.size();
    to_go_.resize(steps + 1);
    leaving_.resize(steps);
    to_go_[steps].assign(1, Sums{});
    for (std::size_t k = steps; k-- > 0;) look_ahead(k, sweep);
    path_.resize(steps);
  }

  bool run() {
    follow(0, 0, Sums{});
    return left_ >= 0 && !out_of_budget_;
  }

 private:
  /// From each state before step k: the links that lead on, and the least that remains.
  void look_ahead(std::size_t k, const Sweep& sweep) {
    const std::size_t states = k == 0 ? 1 : sweep.states[k - 1];
    Sums none;
    none.fill(kInfinite);
    to_go_[k].assign(states, none);
    leaving_[k].resize(states);
    for (const Link& link : sweep.links[k]) {
      leaving_[k][link.from].push_back(&link);
      for (std::size_t w = 0; w < weightings_.size(); ++w) {
        double& least = to_go_[k][link.from][w];
        least = std::min(least, link.sums[w] + to_go_[k + 1][link.to][w]);
      }
    }
  }

  double bound(const Sums& sums, const Sums& rest) const {
    double most = 0;
    for (std::size_t w = 0; w < weightings_.size(); ++w) most = std::max(most, sums[w] + rest[w]);
    return most + problem_.constant();
  }

  struct Branch {
    const Link* link;
    double bound;
    Sums sums;
  };

  std::vector<Branch> branches_of(std::size_t k, std::uint32_t state, const Sums& sums) const {
    std::vector<Branch> branches;
    for (const Link* link : leaving_[k][state]) {
      Branch branch{link, 0, sums};
      for (std::size_t w = 0; w < weightings_.size(); ++w) branch.sums[w] += link->sums[w];
      branch.bound = bound(branch.sums, to_go_[k + 1][link->to]);
      branches.push_back(branch);
    }
    std::stable_sort(branches.begin(), branches.end(),
                     [](const Branch& a, const Branch& b) { return a.bound < b.bound; });
    return branches;
  }

  void follow(std::size_t k, std::uint32_t state, const Sums& sums) {
    if (k == path_.size()) {
      judge_.look_at(path_);
      out_of_budget_ = out_of_budget_ || judge_.spent();
      return;
    }
    for (const Branch& branch : branches_of(k, state, sums)) {
      if (branch.bound > judge_.worst() * kSlack) return;
      if (--left_ < 0 || out_of_budget_) return;
      path_[k] = branch.link->choice;
      follow(k + 1, branch.link->to, branch.sums);
    }
  }

  const Problem& problem_;
  const std::vector<Weighting>& weightings_;
  std::int64_t left_;
  Judge& judge_;
  bool out_of_budget_ = false;
  std::vector<std::vector<Sums>> to_go_;
  std::vector<std::vector<std::vector<const Link*>>> leaving_;
  Path path_;
};

}  // namespace

bool prove(const Problem& problem, const Sweep& sweep, const std::vector<Weighting>& weightings,
           std::int64_t branches, Judge& judge) {
  return Brancher(problem, sweep, weightings, branches, judge).run();
}

}  // namespace oracle::per_layer
