#include "oracle/search/per_layer/patterns.h"

#include <algorithm>
#include <set>
#include <string>

#include "oracle/base/pattern.h"

namespace oracle::per_layer {
namespace {

/// Contractions with the same cuts.
struct Group {
  std::vector<Cut> cuts;
  std::vector<LayerId> layers;
};

std::vector<Group> grouped(std::span<const LayerCuts> assignment) {
  std::vector<Group> groups;
  for (const LayerCuts& one : assignment) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](const Group& known) { return known.cuts == one.cuts; });
    if (group == groups.end()) group = groups.insert(group, {one.cuts, {}});
    group->layers.push_back(one.layer);
  }
  std::stable_sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return a.layers.size() > b.layers.size();
  });
  return groups;
}

/// The name as a pattern: what would mean something else there becomes '*'.
std::string quoted(std::string_view name) {
  std::string pattern(name);
  std::replace_if(
      pattern.begin(), pattern.end(), [](char c) { return c == '|' || c == ';' || c == '='; }, '*');
  if (pattern.front() == ' ') pattern.front() = '*';
  if (pattern.back() == ' ') pattern.back() = '*';
  return pattern;
}

/// Every way to put '*' for a beginning, an end, or the middle of a name.
std::set<std::string> shortenings(const std::string& name) {
  std::set<std::string> patterns;
  for (std::size_t kept = 0; kept <= name.size(); ++kept) {
    for (std::size_t from = kept; from <= name.size(); ++from) {
      patterns.insert(name.substr(0, kept) + '*' + name.substr(from));
    }
  }
  return patterns;
}

class Abbreviator {
 public:
  Abbreviator(const Graph& graph, const Group& group) : graph_(graph), open_(graph.size(), false) {
    for (const LayerId id : group.layers) open_[id] = true;
    inside_ = open_;
  }

  std::string run() {
    std::string pattern;
    for (LayerId id = 1; id < graph_.size(); ++id) {
      if (!open_[id]) continue;
      const std::string best = best_for(id);
      cover(best);
      open_[id] = false;
      pattern += (pattern.empty() ? "" : "|") + best;
    }
    return pattern;
  }

 private:
  /// How many open layers the pattern matches; 0 where it matches one outside of the group.
  std::size_t covered(const std::string& pattern) const {
    std::size_t count = 0;
    for (LayerId id = 1; id < graph_.size(); ++id) {
      if (!matches(pattern, graph_[id].name)) continue;
      if (!inside_[id]) return 0;
      count += open_[id] ? 1 : 0;
    }
    return count;
  }

  std::string best_for(LayerId id) const {
    constexpr std::size_t kLongestShortened = 40;
    std::string best = quoted(graph_[id].name);
    if (best.size() > kLongestShortened) return best;
    std::size_t most = 1;
    for (const std::string& pattern : shortenings(best)) {
      const std::size_t count = covered(pattern);
      if (count > most || (count == most && count > 1 && pattern.size() < best.size())) {
        best = pattern;
        most = count;
      }
    }
    return best;
  }

  void cover(const std::string& pattern) {
    for (LayerId id = 1; id < graph_.size(); ++id) {
      if (open_[id] && matches(pattern, graph_[id].name)) open_[id] = false;
    }
  }

  const Graph& graph_;
  std::vector<bool> open_;  ///< of the group and matched by nothing yet
  std::vector<bool> inside_;
};

std::string listed(const Graph& graph, const Group& group) {
  std::string pattern;
  for (const LayerId id : group.layers) {
    pattern += (pattern.empty() ? "" : "|") + quoted(graph[id].name);
  }
  return pattern;
}

}  // namespace

Strategy strategy_of(const Graph& graph, std::span<const LayerCuts> assignment,
                     const Strategy& base, bool brief) {
  std::vector<Group> groups = grouped(assignment);
  Strategy strategy = base;
  strategy.rules.clear();
  for (std::size_t a = 0; a < strategy.mesh.size(); ++a) {
    strategy.mesh[a].cut = groups.front().cuts[a];
  }
  // Some rule must stand there: without any, layers that contract nothing take the mesh's cuts.
  if (groups.size() == 1) {
    groups.front().layers.resize(1);
  } else {
    groups.erase(groups.begin());
  }
  for (const Group& group : groups) {
    const std::string pattern = brief ? Abbreviator(graph, group).run() : listed(graph, group);
    strategy.rules.push_back({pattern, group.cuts});
  }
  return strategy;
}

}  // namespace oracle::per_layer
