#include "oracle/search/per_layer/sweep.h"

#include <algorithm>
#include <numeric>

#include "oracle/base/error.h"
#include "oracle/search/per_layer/row_set.h"

namespace oracle::per_layer {
namespace {

/// How a state was reached at its least sum.
struct Origin {
  std::uint32_t state = 0;
  std::uint16_t choice = 0;
};

struct Level {
  RowSet rows;
  std::vector<Sums> sums;
  std::vector<std::array<Origin, kMostWeightings>> origins;
};

class Sweeper {
 public:
  Sweeper(const Problem& problem, Expander& expander, const SweepOptions& options)
      : problem_(problem),
        expander_(expander),
        options_(options),
        count_(options.weightings.size()) {
    ensure(count_ <= kMostWeightings, "a sweep has too many weightings");
    const std::size_t steps = problem.steps().size();
    rest_.resize(steps + 1);
    for (std::size_t k = steps; k-- > 0;) {
      for (std::size_t w = 0; w < count_; ++w) {
        rest_[k][w] = rest_[k + 1][w] + problem.least(problem.steps()[k], options.weightings[w]);
      }
    }
  }

  Sweep run() {
    levels_.emplace_back();
    levels_[0].rows.reset(0);
    levels_[0].rows.insert({});
    levels_[0].sums.push_back(Sums{});
    levels_[0].origins.emplace_back();
    for (std::size_t k = 0; k < problem_.steps().size(); ++k) {
      take_step(k);
      result_.states.push_back(levels_.back().rows.size());
      if (!options_.links) {
        narrow(k);
      } else if (levels_.back().rows.size() > options_.beam) {
        return {.complete = false};
      }
    }
    finish();
    return std::move(result_);
  }

 private:
  /// The largest of the bounds of a state or choice with these sums, before step `k`.
  double bound(const Sums& sums, std::size_t k) const {
    double most = 0;
    for (std::size_t w = 0; w < count_; ++w) {
      if (options_.weightings[w].bounds) most = std::max(most, sums[w] + rest_[k][w]);
    }
    return most + problem_.constant();
  }

  bool hopeless(const Sums& sums, std::size_t k) const {
    return bound(sums, k) > options_.worst * kSlack;
  }

  Sums sums_of(const Parts& parts) const {
    Sums sums{};
    for (std::size_t w = 0; w < count_; ++w) sums[w] = options_.weightings[w].of(parts);
    return sums;
  }

  /// The choices of a contraction, cheapest for some weighting first.
  std::vector<std::uint16_t> promising(std::size_t k) {
    const Step& step = problem_.steps()[k];
    const VariantTable& table = problem_.table(step.contraction);
    std::vector<std::uint16_t> choices = step.choices;
    if (choices.size() <= options_.choices) return choices;
    std::vector<Sums> own(problem_.choices().size());
    Sums least;
    least.fill(kInfinite);
    for (const std::uint16_t choice : choices) {
      own[choice] = sums_of(table.parts[table.by_choice[choice]]);
      for (std::size_t w = 0; w < count_; ++w) least[w] = std::min(least[w], own[choice][w]);
    }
    std::vector<std::size_t> place(problem_.choices().size(), choices.size());
    for (std::size_t w = 0; w < count_; ++w) {
      std::stable_sort(choices.begin(), choices.end(),
                       [&](std::uint16_t a, std::uint16_t b) { return own[a][w] < own[b][w]; });
      for (std::size_t i = 0; i < choices.size(); ++i) {
        place[choices[i]] = std::min(place[choices[i]], i);
      }
    }
    std::stable_sort(choices.begin(), choices.end(),
                     [&](std::uint16_t a, std::uint16_t b) { return place[a] < place[b]; });
    for (std::size_t i = options_.choices; i < choices.size(); ++i) {
      drop_choice(k, own[choices[i]], least);
    }
    choices.resize(options_.choices);
    return choices;
  }

  void drop_choice(std::size_t k, const Sums& own, const Sums& least) {
    for (const Sums& sums : levels_[k].sums) {
      Sums reached{};
      for (std::size_t w = 0; w < count_; ++w) reached[w] = sums[w] + own[w] - least[w];
      lose(reached, k);
    }
  }

  void lose(const Sums& sums, std::size_t k) {
    if (hopeless(sums, k)) return;
    result_.complete = false;
    lost_ = std::min(lost_, bound(sums, k));
  }

  void take_step(std::size_t k) {
    const std::vector<std::uint16_t> choices = promising(k);
    const bool is_last = k + 1 == problem_.steps().size();
    levels_.emplace_back();
    levels_.back().rows.reset(is_last ? 0 : problem_.steps()[k + 1].live.size());
    if (options_.links) result_.links.emplace_back();
    std::vector<Record> next;
    Parts parts;
    for (std::uint32_t state = 0; state < levels_[k].rows.size(); ++state) {
      const Sums before = levels_[k].sums[state];
      for (const std::uint16_t choice : choices) {
        if (!expander_.expand(k, levels_[k].rows.row(state), choice, next, parts)) continue;
        const Sums added = sums_of(parts);
        Sums sums = before;
        for (std::size_t w = 0; w < count_; ++w) sums[w] += added[w];
        if (!hopeless(sums, k + 1)) reach(next, sums, added, {state, choice});
      }
    }
  }

  void reach(const std::vector<Record>& row, const Sums& sums, const Sums& added, Origin origin) {
    Level& level = levels_.back();
    const std::uint32_t state = level.rows.insert(row);
    if (state == level.sums.size()) {
      level.sums.emplace_back().fill(kInfinite);
      level.origins.emplace_back();
    }
    for (std::size_t w = 0; w < count_; ++w) {
      if (sums[w] >= level.sums[state][w]) continue;
      level.sums[state][w] = sums[w];
      level.origins[state][w] = origin;
    }
    if (options_.links) {
      result_.links.back().push_back({origin.state, state, origin.choice, added});
    }
  }

  /// Keeps the best states for each weighting.
  void narrow(std::size_t k) {
    Level& level = levels_.back();
    const std::size_t states = level.rows.size();
    if (states <= options_.beam) return;
    std::vector<bool> kept(states, false);
    std::vector<std::uint32_t> order(states);
    const std::size_t each = std::max<std::size_t>(1, options_.beam / count_);
    for (std::size_t w = 0; w < count_; ++w) {
      std::iota(order.begin(), order.end(), 0U);
      std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(each - 1),
                       order.end(), [&](std::uint32_t a, std::uint32_t b) {
                         return level.sums[a][w] != level.sums[b][w]
                                    ? level.sums[a][w] < level.sums[b][w]
                                    : a < b;
                       });
      for (std::size_t i = 0; i < each; ++i) kept[order[i]] = true;
    }
    Level narrower;
    narrower.rows.reset(level.rows.width());
    for (std::uint32_t state = 0; state < states; ++state) {
      if (!kept[state]) {
        lose(level.sums[state], k + 1);
        continue;
      }
      const auto row = level.rows.row(state);
      narrower.rows.insert({row.begin(), row.end()});
      narrower.sums.push_back(level.sums[state]);
      narrower.origins.push_back(level.origins[state]);
    }
    level = std::move(narrower);
  }

  void finish() {
    const Level& last = levels_.back();
    result_.paths.resize(count_);
    const double found =
        last.sums.empty() ? kInfinite : bound(last.sums[0], problem_.steps().size());
    result_.bound = std::min(found, lost_);
    for (std::size_t w = 0; w < count_; ++w) {
      if (!last.sums.empty()) result_.paths[w] = path(w);
    }
  }

  /// The last step leaves no tensor to be read, so all ends meet in one state.
  std::vector<std::uint16_t> path(std::size_t w) const {
    std::vector<std::uint16_t> choices(problem_.steps().size());
    std::uint32_t state = 0;
    for (std::size_t k = choices.size(); k-- > 0;) {
      const Origin& origin = levels_[k + 1].origins[state][w];
      choices[k] = origin.choice;
      state = origin.state;
    }
    return choices;
  }

  const Problem& problem_;
  Expander& expander_;
  const SweepOptions& options_;
  std::size_t count_;
  std::vector<Sums> rest_;   ///< the least that steps k, k + 1, … can add
  double lost_ = kInfinite;  ///< the least bound of what was dropped
  std::vector<Level> levels_;
  Sweep result_;
};

}  // namespace

Sweep sweep(const Problem& problem, Expander& expander, const SweepOptions& options) {
  return Sweeper(problem, expander, options).run();
}

}  // namespace oracle::per_layer
