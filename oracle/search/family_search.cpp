#include "oracle/search/family_search.h"

#include <algorithm>
#include <array>
#include <utility>

namespace oracle {
namespace {

Strategy with(const Variant& variant, Strategy strategy) {
  put(variant, strategy);
  return strategy;
}

/// Goes through the variants of one family; what it keeps of them are numbers.
class FamilySearch {
 public:
  FamilySearch(Family& family, const Strategy& strategy, std::span<const Variant> variants,
               const SearchRequest& request, const std::optional<Standing>& bar)
      : family_(family), strategy_(strategy), variants_(variants), request_(request), bar_(bar) {}

  /// Adds to what is considered but for its number.
  void run(FamilyAnswer& answer) {
    for (std::size_t v = 0; v < variants_.size(); ++v) consider(v, answer);
    if (best_) answer.found.push_back(candidate());
    if (refused_ > 0) answer.refused.push_back(refusal());
  }

 private:
  void measure() {
    std::array<PipelineSchedule, kPipelineScheduleCount> schedules{};
    std::size_t count = 0;
    for (const Variant& variant : variants_) {
      const auto end = schedules.begin() + static_cast<std::ptrdiff_t>(count);
      if (std::find(schedules.begin(), end, variant.schedule) != end) continue;
      schedules[count++] = variant.schedule;
    }
    family_.measure({schedules.data(), count});
  }

  void consider(std::size_t v, FamilyAnswer& answer) {
    family_.choose(variants_[v]);
    if (!family_.fits()) {
      refuse(v);
      return;
    }
    if (answer.fitting++ == 0) measure();
    if (request_.prune && !can_be_kept()) return;
    ++answer.priced;
    const Fits fits = family_.step();
    const Standing standing{fits.step.time, fits.samples_per_second, fits.memory.total()};
    if (best_ && !better(standing, *best_, request_.objective)) return;
    const Breakdown& parts = fits.timeline.breakdown;
    best_ = standing;
    best_step_ = fits.step;
    best_limit_ = fits.bottleneck;
    best_exposed_ = parts.exposed_activation + parts.exposed_gradient;
    best_variant_ = v;
  }

  bool can_be_kept() const {
    const Seconds least = family_.least_step();
    const Standing hoped{least, static_cast<double>(family_.plan().training.batch) / least.value,
                         family_.memory().total()};
    if (best_ && !better(hoped, *best_, request_.objective)) return false;
    return !bar_ || !better(*bar_, hoped, request_.objective);
  }

  void refuse(std::size_t v) {
    const Room room = family_.memory().scarcer();
    const double lacking = shortfall(room.needed.value, room.available.value);
    if (refused_++ > 0 && lacking >= least_lacking_) return;
    least_lacking_ = lacking;
    nearest_ = v;
  }

  /// The stages of its pipeline follow from the rest of it, and thousands of names fill memory.
  Candidate candidate() {
    family_.choose(variants_[best_variant_]);
    Strategy strategy = family_.plan().strategy;
    strategy.stages = strategy_.stages;
    family_.drop_idle_options(strategy);
    return {std::move(strategy), best_step_,  best_->samples_per_second,
            best_->memory,       best_limit_, best_exposed_};
  }

  Refused refusal() {
    family_.choose(variants_[nearest_]);
    Strategy strategy = with(variants_[nearest_], strategy_);
    family_.drop_idle_options(strategy);
    return {Constraint::memory, refused_, std::move(strategy), family_.out_of_memory()};
  }

  Family& family_;
  const Strategy& strategy_;
  std::span<const Variant> variants_;
  const SearchRequest& request_;
  const std::optional<Standing>& bar_;
  std::optional<Standing> best_;
  Cost best_step_;
  Bottleneck best_limit_ = Bottleneck::compute;
  Seconds best_exposed_;
  std::size_t best_variant_ = 0, nearest_ = 0;
  std::int64_t refused_ = 0;
  double least_lacking_ = 0;
};

/// Walks through the savings of one strategy, from what costs least to what saves most.
class SavingsSearch {
 public:
  SavingsSearch(Family& family, const Strategy& strategy, const SavingSpace& savings,
                std::span<const Variant> variants, const SearchRequest& request,
                const std::optional<Standing>& bar)
      : family_(family),
        strategy_(with(variants.front(), strategy)),
        savings_(savings),
        variants_(variants),
        request_(request),
        bar_(bar),
        available_(family.rank_memory()) {}

  FamilyAnswer run() {
    while (most_.recompute > 0 && is_too_slow(most_.recompute)) --most_.recompute;
    const bool is_tried = most_ == Saving{} || !is_too_little({});
    if (is_tried) take({});
    if (!fits_ && !refused_otherwise_ && !(is_tried && most_ == Saving{})) take(most_);
    if (fits_) walk();
    answer_.is_unplanned =
        !fits_ && !refused_otherwise_ && most_.recompute < savings_.most().recompute;
    return std::move(answer_);
  }

 private:
  bool is_too_slow(std::size_t recompute) const {
    return bar_ && !savings_.least.empty() && savings_.least[recompute].time > bar_->time;
  }

  void walk() {
    for (std::size_t z = 0; z < savings_.zero.size(); ++z) {
      for (std::size_t m = 0; m < savings_.micro_batches.size(); ++m) take_in_row(m, z);
    }
  }

  /// With more and more to compute again, until it fits.
  void take_in_row(std::size_t micro_batches, std::size_t zero) {
    for (std::size_t r = 0; r <= most_.recompute; ++r) {
      const Saving saving{micro_batches, r, zero};
      if (!is_too_little(saving) && is_wanted(saving)) take(saving);
    }
  }

  /// Whether it was not tried and saves no more than is needed.
  bool is_wanted(const Saving& saving) const {
    const auto contains = [](const std::vector<Saving>& savings, auto holds) {
      return std::any_of(savings.begin(), savings.end(), holds);
    };
    if (contains(tried_, [&](const Saving& known) { return known == saving; })) return false;
    if (request_.space.every_saving || request_.objective == Objective::memory) return true;
    return !contains(enough_,
                     [&](const Saving& known) { return savings_.is_enough(known, saving); });
  }

  bool is_too_little(const Saving& saving) const {
    return savings_.least_memory(saving) > available_ ||
           std::any_of(too_little_.begin(), too_little_.end(),
                       [&](const Saving& known) { return saving.saves_at_most(known); });
  }

  void take(const Saving& saving) {
    savings_.put(saving, strategy_);
    FamilyAnswer own;
    own.considered = static_cast<std::int64_t>(variants_.size());
    if (const Infeasible* refusal = family_.plan(strategy_, request_.training)) {
      own.refused.push_back({refusal->constraint, own.considered, strategy_, *refusal});
      refused_otherwise_ = true;
    } else {
      FamilySearch(family_, strategy_, variants_, request_, bar_).run(own);
    }
    tried_.push_back(saving);
    if (own.fitting == own.considered) enough_.push_back(saving);
    if (own.fitting == 0) too_little_.push_back(saving);
    fits_ = fits_ || own.fitting > 0;
    add(std::move(own));
  }

  /// A strategy counts once, with the saving that lets most of its variants fit.
  void add(FamilyAnswer own) {
    std::vector<Candidate> found = std::move(answer_.found);
    for (Candidate& candidate : own.found) {
      const bool one = !request_.space.every_saving && !found.empty();
      if (!one) {
        found.push_back(std::move(candidate));
      } else if (better(standing_of(candidate), standing_of(found.front()), request_.objective)) {
        found.front() = std::move(candidate);
      }
    }
    if (own.fitting >= answer_.fitting) answer_ = std::move(own);
    answer_.found = std::move(found);
  }

  Family& family_;
  Strategy strategy_;
  const SavingSpace& savings_;
  std::span<const Variant> variants_;
  const SearchRequest& request_;
  const std::optional<Standing>& bar_;
  Bytes available_;
  Saving most_ = savings_.most();  ///< of those that are not too slow
  std::vector<Saving> tried_;
  std::vector<Saving> enough_, too_little_;  ///< with which all fit, or none
  bool fits_ = false;                        ///< some variant with some saving
  bool refused_otherwise_ = false;           ///< whatever may be saved
  FamilyAnswer answer_;
};

}  // namespace

FamilyAnswer search_family(Family& family, const Strategy& strategy, const SavingSpace& savings,
                           std::span<const Variant> variants, const SearchRequest& request,
                           const std::optional<Standing>& bar) {
  return SavingsSearch(family, strategy, savings, variants, request, bar).run();
}

double shortfall(double needed, double available) { return needed / std::max(available, 1e-9); }

}  // namespace oracle
