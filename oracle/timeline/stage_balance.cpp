#include "oracle/timeline/stage_balance.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <numeric>
#include <utility>

namespace oracle {
namespace {

/// Sums are equal but for rounding: of equal ways the first found stays, by whatever clock.
constexpr double kEqual = 1 + 1e-9;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// More places than this, and twice the stages, are thinned out.
constexpr std::size_t kManyPlaces = 512;

/// Where a stage may begin.
struct Place {
  LayerId layer;
  double until;  ///< what the layers before it take
  double ahead;  ///< of it the forward passes
  double forward, backward;

  double sent() const { return forward + backward; }
};

/// Of the last stages of a pipeline.
struct Tail {
  double length = 0;       ///< from when the first micro-batch enters until the last one leaves
  double messages = 0;     ///< of one micro-batch between them
  std::uint32_t next = 0;  ///< the place where its second stage begins
  std::uint32_t rest = 0;  ///< what follows, among all tails
};

/// What ways within the bound take at least that have a stage which begins at one place.
struct Least {
  double before = kNever;  ///< messages of the stages before it,
  double after = kNever;   ///< and of those from there on
  double slack = kNever;   ///< of the stages before it: the step less one micro-batch's way
  double length = kNever;  ///< of the stages before it: the step
  std::uint32_t first_tail = 0, last_tail = 0;  ///< of the stages from there on
};

/// By place where a stage begins.
struct Row {
  std::size_t first = 0, last = 0;  ///< of those within the bound, and one past them
  Least* least = nullptr;

  template <typename Keep>
  void trim(const Keep& keep) {
    while (first < last && !keep(least[first])) ++first;
    while (first < last && !keep(least[last - 1])) --last;
  }
};

/// A stage as the first one of a tail.
struct First {
  double alone;     ///< micro-batches one after the other
  double way;       ///< a micro-batch there and back
  double later;     ///< and on through all stages, but for messages further on
  double slack;     ///< what the others take beyond that, of the stage and its messages
  double trips;     ///< there and back that one waits for after the other
  double messages;  ///< its own

  Tail before(const Tail& rest) const {
    const double through = later + rest.messages;
    return {std::max({alone, way + rest.length, slack + through, trips * through}),
            messages + rest.messages};
  }
};

class Balancer {
 public:
  /// The last of `places` is one past the last layer.
  Balancer(std::vector<Place> places, std::size_t stages, std::int64_t micro_batches)
      : stages_(stages),
        micro_batches_(std::max<std::int64_t>(micro_batches, 2)),
        repeats_(static_cast<double>(micro_batches_)),
        places_(std::move(places)),
        end_(places_.size() - 1),
        all_(places_.back().until),
        busy_(places_.size()),
        least_((stages + 1) * places_.size()),
        rows_(stages + 1) {
    for (std::size_t s = 0; s <= stages; ++s) rows_[s].least = &least_[s * places_.size()];
  }

  /// Raises the bound until there are ways within it, of which the shortest is the best of all.
  std::vector<LayerId> run() {
    const double longest = length_of(greedy());
    bound_ = longest;
    proven_ = find_least(false) * kBelow;
    constexpr double kFirstPart = 1.0 / 32;
    for (double part = kFirstPart;; part *= 2) {
      bound_ = part < 1 ? proven_ + (longest - proven_) * part : longest;
      const double least = find_least(part == kFirstPart);
      proven_ = std::max(proven_, std::min(least, bound_) * kBelow);
      if (least <= bound_ && search()) break;
      proven_ = bound_ * kBelow;
    }
    std::vector<LayerId> firsts;
    for (const std::size_t place : best()) firsts.push_back(places_[place].layer);
    firsts.push_back(places_[end_].layer);
    return firsts;
  }

 private:
  /// Whatever rounding adds to a lower bound.
  static constexpr double kBelow = 1 - 1e-12;

  double between(std::size_t from, std::size_t to) const {
    return places_[to].until - places_[from].until;
  }

  /// Micro-batches from a stage on.
  std::int64_t under_way(std::size_t stage) const {
    return std::min(micro_batches_, static_cast<std::int64_t>(stages_ - stage));
  }

  /// Lets busy_[to] - busy_[from] be the slack of a stage between these places.
  void list_busy(std::size_t stage) {
    const auto others = static_cast<double>(under_way(stage) - 1);
    for (std::size_t place = 0; place <= end_; ++place) {
      busy_[place] = (repeats_ - 1) * places_[place].until - others * places_[place].ahead;
    }
  }

  /// Whether a stage within the bound can be that long; then so can all that are part of it.
  bool can_reach(std::size_t from, std::size_t to) const {
    return busy_[to] - busy_[from] <= bound_ - all_ &&
           places_[from].until + repeats_ * between(from, to) <= bound_;
  }

  bool is_within(const Least& least) const {
    return all_ + least.before + least.after + least.slack <= bound_ && least.length <= bound_;
  }

  /// A lower bound of the step. `narrows`: what was found before is of a greater bound.
  double find_least(bool narrows) {
    rows_[stages_].first = end_;
    rows_[stages_].last = end_ + 1;
    rows_[stages_].least[end_] = {kNever, 0};
    for (std::size_t stage = stages_; stage-- > 0;) find_after(stage, narrows);
    if (rows_[0].first == rows_[0].last) return kNever;
    Least& root = rows_[0].least[0];
    root.before = root.slack = root.length = 0;
    for (std::size_t stage = 1; stage <= stages_; ++stage) find_before(stage);
    const Least& whole = rows_[stages_].least[end_];
    return std::max(whole.length, all_ + whole.before + whole.slack);
  }

  /// The least messages from each beginning of a stage on.
  void find_after(std::size_t stage, bool narrows) {
    list_busy(stage);
    const Row& later = rows_[stage + 1];
    Row& row = rows_[stage];
    if (!narrows) {
      row.first = stage;
      row.last = stage == 0 ? 1 : end_ - (stages_ - stage) + 1;
    }
    std::size_t last = later.last;
    for (std::size_t place = row.last; place-- > row.first;) {
      Least& own = row.least[place];
      const bool leads_on = !narrows || is_within(own);
      own = {};
      if (!leads_on) continue;
      while (last > later.first && !can_reach(place, last - 1)) --last;
      for (std::size_t next = std::max(place + 1, later.first); next < last; ++next) {
        own.after = std::min(own.after, later.least[next].after + places_[next].sent());
      }
    }
    row.trim([](const Least& least) { return least.after < kNever; });
  }

  /// What the stages before each beginning of a stage take at least.
  void find_before(std::size_t stage) {
    list_busy(stage - 1);
    const Row& before = rows_[stage - 1];
    Row& row = rows_[stage];
    std::size_t first = before.first;
    for (std::size_t place = row.first; place < row.last; ++place) {
      if (row.least[place].after == kNever) continue;
      while (first < place && !can_reach(first, place)) ++first;
      put_stage(stage - 1, first, place);
    }
    if (stage < stages_) row.trim([&](const Least& least) { return is_within(least); });
  }

  /// The best that a stage that ends at `place` can begin with, from `first` on.
  void put_stage(std::size_t stage, std::size_t first, std::size_t place) {
    const Row& row = rows_[stage];
    Least& own = rows_[stage + 1].least[place];
    const std::int64_t rounds = (micro_batches_ - 1) / under_way(stage);
    const auto waits = static_cast<double>(rounds);
    const Place& to = places_[place];
    const double messages = to.sent() + own.after;
    Least least;
    for (std::size_t from = first; from < std::min(place, row.last); ++from) {
      const Least& known = row.least[from];
      const double busy = busy_[place] - busy_[from];
      if (all_ + known.before + messages + busy > bound_) continue;
      const double begin = places_[from].until;
      const double waited = waits * (all_ - begin + messages);
      least.before = std::min(least.before, known.before);
      least.slack = std::min(least.slack, std::max({known.slack, busy, waited}));
      least.length =
          std::min(least.length,
                   std::max(known.length, begin + known.before + repeats_ * between(from, place)));
    }
    own.before = least.before + to.sent();
    own.slack = std::max(least.slack, (repeats_ - 1) * std::max(to.forward, to.backward));
    own.length = least.length;
  }

  /// Finds the shortest way, if one is within the bound.
  bool search() {
    tails_.assign(1, {});
    rows_[stages_].least[end_].last_tail = 1;
    for (std::size_t stage = stages_; stage-- > 0;) {
      list_busy(stage);
      const Row& row = rows_[stage];
      for (std::size_t place = row.first; place < row.last; ++place) {
        if (is_within(row.least[place])) list_tails(stage, place);
      }
    }
    const Least& root = rows_[0].least[0];
    return root.first_tail < root.last_tail;
  }

  void list_tails(std::size_t stage, std::size_t place) {
    const Row& row = rows_[stage + 1];
    Least& least = rows_[stage].least[place];
    const std::size_t begin = tails_.size();
    const double once = places_[place].until + least.before;
    const double all = all_ + least.before + least.slack;
    const double harmless = proven_ - bound_ + all_ - places_[place].until + least.slack;
    for (std::size_t next = std::max(place + 1, row.first);
         next < row.last && can_reach(place, next); ++next) {
      const Least& rests = row.least[next];
      if (rests.first_tail == rests.last_tail) continue;
      const First own = first(place, next, stage);
      for (std::uint32_t rest = rests.first_tail; rest < rests.last_tail; ++rest) {
        Tail tail = own.before(tails_[rest]);
        if (once + tail.length > bound_ || all + tail.messages > bound_) continue;
        tail.next = static_cast<std::uint32_t>(next);
        tail.rest = rest;
        add(tail, begin, harmless);
      }
    }
    least.first_tail = static_cast<std::uint32_t>(begin);
    least.last_tail = static_cast<std::uint32_t>(tails_.size());
  }

  First first(std::size_t from, std::size_t to, std::size_t stage) const {
    const Place& place = places_[to];
    const std::int64_t held = under_way(stage);
    const double own = between(from, to), way = own + place.sent();
    const double busy =
        (repeats_ - 1) * own - static_cast<double>(held - 1) * (place.ahead - places_[from].ahead);
    const std::int64_t rounds = (micro_batches_ + held - 1) / held;
    return {repeats_ * own,
            way,
            way + between(to, end_),
            std::max(busy, (repeats_ - 1) * std::max(place.forward, place.backward)),
            static_cast<double>(rounds),
            place.sent()};
  }

  /// Whether `other` cannot be part of a better way. No way within the bound is longer with a tail
  /// that is at most as long as `harmless` and the messages of one in whose place it stands.
  static bool beats(const Tail& tail, const Tail& other, double harmless) {
    if (tail.messages > other.messages * kEqual) return false;
    if (tail.length <= other.length * kEqual) return true;
    return tail.messages * kEqual < other.messages && tail.length <= harmless + other.messages;
  }

  /// Keeps a tail, among those since `begin`, unless another beats it.
  void add(const Tail& tail, std::size_t begin, double harmless) {
    const auto first = tails_.begin() + static_cast<std::ptrdiff_t>(begin);
    if (std::any_of(first, tails_.end(),
                    [&](const Tail& known) { return beats(known, tail, harmless); })) {
      return;
    }
    const auto beaten = [&](const Tail& known) { return beats(tail, known, harmless); };
    tails_.erase(std::remove_if(first, tails_.end(), beaten), tails_.end());
    tails_.push_back(tail);
  }

  /// The places where the stages of the shortest way begin.
  std::vector<std::size_t> best() const {
    const Least& root = rows_[0].least[0];
    const auto shortest =
        std::min_element(tails_.begin() + root.first_tail, tails_.begin() + root.last_tail,
                         [&](const Tail& a, const Tail& b) {
                           if (a.length * kEqual < b.length || b.length * kEqual < a.length) {
                             return a.length < b.length;
                           }
                           return a.messages * kEqual < b.messages;
                         });
    std::vector<std::size_t> firsts = {0};
    for (const Tail* tail = &*shortest; firsts.size() < stages_; tail = &tails_[tail->rest]) {
      firsts.push_back(tail->next);
    }
    return firsts;
  }

  /// Some way to cut: each stage is filled up to a limit, the least with which that works.
  std::vector<std::size_t> greedy() const {
    double low = all_ / static_cast<double>(stages_), high = all_;
    constexpr int kHalvings = 30;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      const std::vector<std::size_t> filled = fill(middle);
      (between(filled.back(), end_) <= middle ? high : low) = middle;
    }
    return fill(high);
  }

  /// The places where stages begin that are each as long as `limit` allows.
  std::vector<std::size_t> fill(double limit) const {
    std::vector<std::size_t> firsts = {0};
    for (std::size_t left = stages_ - 1; left > 0; --left) {
      std::size_t next = firsts.back() + 1;
      while (next + left < end_ && between(firsts.back(), next + 1) <= limit) ++next;
      firsts.push_back(next);
    }
    return firsts;
  }

  /// A bound that sums in another order do not exceed.
  double length_of(const std::vector<std::size_t>& firsts) const {
    Tail tail;
    std::size_t to = end_;
    for (std::size_t s = stages_; s-- > 0; to = firsts[s]) {
      tail = first(firsts[s], to, s).before(tail);
    }
    return tail.length * (1 + 1e-8);
  }

  std::size_t stages_;
  std::int64_t micro_batches_;
  double repeats_;  ///< micro-batches
  std::vector<Place> places_;
  std::size_t end_;           ///< the last one
  double all_;                ///< what all layers take
  double bound_ = 0;          ///< ways that take longer are left out
  double proven_ = 0;         ///< no way takes less
  std::vector<double> busy_;  ///< by place
  std::vector<Least> least_;  ///< by number of stages before and by place
  std::vector<Row> rows_;     ///< of it, by number of stages before
  std::vector<Tail> tails_;
};

/// Of so many places the cheapest to send of each equal part of the work.
std::vector<LayerId> thin_out(const std::vector<LayerId>& places, const StageCosts& costs,
                              const std::vector<double>& until, std::size_t most) {
  std::vector<LayerId> thinned = {0};
  std::size_t part = 0;
  for (const LayerId place : places) {
    if (place == 0) continue;
    const auto own =
        static_cast<std::size_t>(until[place] / until.back() * static_cast<double>(most));
    const auto sent = [&](LayerId id) { return costs.forward[id] + costs.backward[id]; };
    if (own > part || thinned.size() == 1) {
      thinned.push_back(place);
    } else if (sent(place) < sent(thinned.back())) {
      thinned.back() = place;
    }
    part = own;
  }
  return thinned;
}

/// Where stages may begin, the first one included, and one past the last layer.
std::vector<Place> places_of(const StageCosts& costs, std::size_t stages) {
  std::vector<double> until(costs.layers.size() + 1, 0), ahead = until;
  for (std::size_t id = 0; id < costs.layers.size(); ++id) {
    until[id + 1] = until[id] + costs.layers[id].value;
    ahead[id + 1] = ahead[id] + costs.ahead[id].value;
  }
  std::vector<LayerId> layers = {0};
  for (LayerId id = 1; id < costs.layers.size(); ++id) {
    if (costs.may_begin[id]) layers.push_back(id);
  }
  const std::size_t most = std::max(kManyPlaces, 2 * stages);
  if (layers.size() > most) {
    std::vector<LayerId> thinned = thin_out(layers, costs, until, most);
    if (thinned.size() >= stages) layers = std::move(thinned);
  }
  std::vector<Place> places;
  for (const LayerId id : layers) {
    places.push_back({id, until[id], ahead[id], costs.forward[id].value, costs.backward[id].value});
  }
  const auto end = static_cast<LayerId>(costs.layers.size());
  places.push_back({end, until.back(), ahead.back(), 0, 0});
  return places;
}

}  // namespace

std::vector<LayerId> balance_stages(const StageCosts& costs, std::int64_t stages,
                                    std::int64_t micro_batches) {
  const auto count = static_cast<std::size_t>(stages);
  std::vector<Place> places = places_of(costs, count);
  if (places.size() <= count) return {};
  return Balancer(std::move(places), count, micro_batches).run();
}

Seconds least_step(const std::vector<Seconds>& layers, const std::vector<LayerId>& firsts,
                   std::int64_t ranks, std::int64_t micro_batches) {
  const auto until = [&](std::size_t stage) {
    return layers.begin() + static_cast<std::ptrdiff_t>(firsts[stage]);
  };
  std::vector<Seconds> stages(firsts.size() - 1);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    stages[s] = std::accumulate(until(s), until(s + 1), Seconds{});
  }
  Seconds least, before;
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(ranks); ++rank) {
    Seconds own;
    for (std::size_t s = rank; s < stages.size(); s += static_cast<std::size_t>(ranks)) {
      own += stages[s];
    }
    least = std::max(least, before + own * static_cast<double>(micro_batches));
    before += stages[rank];
  }
  return least;
}

}  // namespace oracle
