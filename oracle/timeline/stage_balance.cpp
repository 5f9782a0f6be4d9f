#include "oracle/timeline/stage_balance.h"

#include <algorithm>
#include <cstddef>
#include <limits>

namespace oracle {
namespace {

/// Sums are equal but for rounding: of equal ways the first found stays, by whatever clock.
constexpr double kEqual = 1 + 1e-9;

/// More places than this, and twice the stages, are thinned out.
constexpr std::size_t kManyPlaces = 512;

/// Of the last stages of a pipeline.
struct Tail {
  double length = 0;       ///< from when the first micro-batch enters until the last one leaves
  double messages = 0;     ///< of one micro-batch between them
  std::uint32_t next = 0;  ///< the place where its second stage begins
  std::uint32_t rest = 0;  ///< what follows, among those that begin there
};

/// What no other of them beats.
class Front {
 public:
  void add(const Tail& tail) {
    for (const Tail& known : tails_) {
      if (known.length <= tail.length * kEqual && known.messages <= tail.messages * kEqual) return;
    }
    std::erase_if(tails_, [&](const Tail& known) {
      return tail.length <= known.length * kEqual && tail.messages <= known.messages * kEqual;
    });
    tails_.push_back(tail);
  }
  /// In place of all others.
  void take(const Tail& tail) { tails_.assign(1, tail); }
  const std::vector<Tail>& tails() const { return tails_; }

 private:
  std::vector<Tail> tails_;
};

class Balancer {
 public:
  Balancer(const StageCosts& costs, std::size_t stages, std::int64_t micro_batches)
      : stages_(stages),
        micro_batches_(std::max<std::int64_t>(micro_batches, 2)),
        repeats_(static_cast<double>(micro_batches_)) {
    std::vector<double> until(costs.layers.size() + 1, 0), ahead = until;
    for (std::size_t id = 0; id < costs.layers.size(); ++id) {
      until[id + 1] = until[id] + costs.layers[id].value;
      ahead[id + 1] = ahead[id] + costs.ahead[id].value;
    }
    for (const LayerId place : places_of(costs, until)) {
      places_.push_back({place, until[place], ahead[place], costs.forward[place].value,
                         costs.backward[place].value});
    }
    end_ = places_.size();
    places_.push_back(
        {static_cast<LayerId>(costs.layers.size()), until.back(), ahead.back(), 0, 0});
  }

  std::vector<LayerId> run() {
    if (end_ < stages_) return {};
    // First a way that is good, whose length then leaves out most of the others.
    bound_ = length_of(greedy());
    search(false);
    if (!fronts_[stages_][0].tails().empty()) bound_ = length_of(best());
    search(true);
    std::vector<LayerId> firsts;
    for (const std::size_t place : best()) firsts.push_back(places_[place].layer);
    firsts.push_back(places_[end_].layer);
    return firsts;
  }

 private:
  struct Place {
    LayerId layer;
    double until;  ///< what the layers before it take
    double ahead;  ///< of it the forward passes
    double forward, backward;
  };

  /// Where stages may begin, the first one included.
  std::vector<LayerId> places_of(const StageCosts& costs, const std::vector<double>& until) const {
    std::vector<LayerId> places = {0};
    for (LayerId id = 1; id < costs.layers.size(); ++id) {
      if (costs.may_begin[id]) places.push_back(id);
    }
    const std::size_t most = std::max(kManyPlaces, 2 * stages_);
    if (places.size() <= most) return places;
    // The cheapest to send of each equal part of the work.
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
    return thinned.size() >= stages_ ? thinned : places;
  }

  double between(std::size_t from, std::size_t to) const {
    return places_[to].until - places_[from].until;
  }

  /// Finds what can be part of a way within the bound; unless `all`, of those that begin at one
  /// place only the one that promises most.
  void search(bool all) {
    longest_ = bound_ / repeats_;
    find_least_messages();
    fronts_.assign(stages_ + 1, std::vector<Front>(end_));
    for (std::size_t count = 1; count <= stages_; ++count) {
      const std::size_t first = count == stages_ ? 0 : stages_ - count;
      const std::size_t last = count == stages_ ? 0 : end_ - count;
      for (std::size_t place = first; place <= last; ++place) {
        if (can_begin(count, place)) extend(count, place, all);
      }
    }
  }

  /// The least that messages take up to where a stage begins, none longer than can be.
  void find_least_messages() {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    before_.assign(stages_, std::vector<double>(end_, kNever));
    before_[0][0] = 0;
    for (std::size_t stage = 1; stage < stages_; ++stage) {
      for (std::size_t place = stage; place + (stages_ - stage) <= end_; ++place) {
        if (!can_begin(stages_ - stage, place)) continue;
        double least = kNever;
        for (std::size_t from = place; from-- > stage - 1;) {
          if (between(from, place) > longest_) break;
          least = std::min(least, before_[stage - 1][from]);
        }
        before_[stage][place] = least + places_[place].forward + places_[place].backward;
      }
    }
  }

  /// Whether the last `count` stages, and those before, can all be short enough.
  bool can_begin(std::size_t count, std::size_t place) const {
    return between(place, end_) <= longest_ * static_cast<double>(count) &&
           places_[place].until <= longest_ * static_cast<double>(stages_ - count);
  }

  /// A stage that begins at one place and ends at another, the first of the last `count`.
  struct First {
    double own;                ///< what it takes
    double ahead;              ///< forward passes of all but one of those under way
    double forward, backward;  ///< its messages
    double next;               ///< what the stages after it take
    double repeats;            ///< micro-batches
    double trips;              ///< there and back that one waits for after the other

    Tail before(const Tail& rest) const {
      Tail tail = rest;
      tail.messages += forward + backward;
      const double way = own + forward + backward, later = next + rest.messages;
      tail.length =
          std::max({repeats * own, way + rest.length, own + repeats * forward + backward + later,
                    own + forward + repeats * backward + later, trips * (way + later),
                    way + later + (repeats - 1) * own - ahead});
      return tail;
    }
  };

  First first(std::size_t from, std::size_t to, std::size_t count) const {
    const Place& place = places_[to];
    const auto held = std::min(micro_batches_, static_cast<std::int64_t>(count));
    const std::int64_t trips = (micro_batches_ + held - 1) / held;
    return {between(from, to),
            static_cast<double>(held - 1) * (place.ahead - places_[from].ahead),
            place.forward,
            place.backward,
            between(to, end_),
            repeats_,
            static_cast<double>(trips)};
  }

  void extend(std::size_t count, std::size_t place, bool all) {
    Front& front = fronts_[count][place];
    if (count == 1) {
      front.add({repeats_ * between(place, end_), 0, static_cast<std::uint32_t>(end_), 0});
      return;
    }
    // What comes before, once; the longest stage of it takes its part every time.
    const std::size_t before = stages_ - count;
    const double once = places_[place].until + before_[before][place];
    const double least =
        before == 0 ? 0 : repeats_ * places_[place].until / static_cast<double>(before);
    if (least > bound_) return;
    double shortest = std::numeric_limits<double>::infinity();
    for (std::size_t next = place + 1; next + count - 1 <= end_; ++next) {
      if (between(place, next) > longest_) break;
      const std::vector<Tail>& rests = fronts_[count - 1][next].tails();
      if (rests.empty()) continue;
      const First own = first(place, next, count);
      for (std::size_t rest = 0; rest < rests.size(); ++rest) {
        Tail tail = own.before(rests[rest]);
        if (once + tail.length > bound_ || (!all && tail.length >= shortest)) continue;
        tail.next = static_cast<std::uint32_t>(next);
        tail.rest = static_cast<std::uint32_t>(rest);
        all ? front.add(tail) : front.take(tail);
        shortest = tail.length;
      }
    }
  }

  /// The places where the stages of the shortest way begin.
  std::vector<std::size_t> best() const {
    const std::vector<Tail>* tails = &fronts_[stages_][0].tails();
    const auto shortest =
        std::min_element(tails->begin(), tails->end(), [&](const Tail& a, const Tail& b) {
          if (a.length * kEqual < b.length || b.length * kEqual < a.length) {
            return a.length < b.length;
          }
          return a.messages * kEqual < b.messages;
        });
    std::vector<std::size_t> firsts = {0};
    const Tail* tail = &*shortest;
    for (std::size_t count = stages_; count > 1; --count) {
      firsts.push_back(tail->next);
      tail = &fronts_[count - 1][tail->next].tails()[tail->rest];
    }
    return firsts;
  }

  /// Some way to cut: each stage is filled up to a limit, the least with which that works.
  std::vector<std::size_t> greedy() const {
    const double all = places_[end_].until;
    double low = all / static_cast<double>(stages_), high = all;
    constexpr int kHalvings = 30;
    for (int i = 0; i < kHalvings; ++i) {
      const double middle = (low + high) / 2;
      const std::vector<std::size_t> filled = fill(middle);
      (between(filled.back(), end_) <= middle ? high : low) = middle;
    }
    return fill(high);
  }

  /// A bound that sums in another order do not exceed.
  double length_of(const std::vector<std::size_t>& firsts) const {
    Tail tail{repeats_ * between(firsts.back(), end_), 0};
    for (std::size_t s = stages_ - 1; s-- > 0;) {
      tail = first(firsts[s], firsts[s + 1], stages_ - s).before(tail);
    }
    return tail.length * (1 + 1e-8);
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

  std::size_t stages_;
  std::int64_t micro_batches_;
  double repeats_;             ///< micro-batches
  std::vector<Place> places_;  ///< and one past the last layer
  std::size_t end_ = 0;        ///< that one
  double bound_ = 0;           ///< some way to cut takes so long
  double longest_ = 0;         ///< no stage of a better one is longer
  /// The least that the messages of so many stages take that end at that place.
  std::vector<std::vector<double>> before_;
  std::vector<std::vector<Front>> fronts_;  ///< by number of stages and place
};

}  // namespace

std::vector<LayerId> balance_stages(const StageCosts& costs, std::int64_t stages,
                                    std::int64_t micro_batches) {
  return Balancer(costs, static_cast<std::size_t>(stages), micro_batches).run();
}

}  // namespace oracle
