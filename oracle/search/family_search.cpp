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

  void run(FamilyAnswer& answer) {
    for (std::size_t v = 0; v < variants_.size(); ++v) consider(v, answer);
    if (best_) answer.best = candidate();
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
    ++answer.considered;
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
    const Footprint& memory = family_.memory();
    const double lacking = shortfall(memory.total().value, memory.available.value);
    if (refused_++ > 0 && lacking >= least_lacking_) return;
    least_lacking_ = lacking;
    nearest_ = v;
  }

  /// The stages of its pipeline follow from the rest of it, and thousands of names fill memory.
  Candidate candidate() {
    family_.choose(variants_[best_variant_]);
    Strategy strategy = family_.plan().strategy;
    strategy.stages = strategy_.stages;
    return {std::move(strategy), best_step_,  best_->samples_per_second,
            best_->memory,       best_limit_, best_exposed_};
  }

  Refused refusal() {
    family_.choose(variants_[nearest_]);
    return {Constraint::memory, refused_, with(variants_[nearest_], strategy_),
            family_.out_of_memory()};
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

}  // namespace

FamilyAnswer search_family(Family& family, const Strategy& strategy,
                           std::span<const Variant> variants, const SearchRequest& request,
                           const std::optional<Standing>& bar) {
  FamilyAnswer answer;
  const Strategy first = with(variants.front(), strategy);
  if (const Infeasible* refusal = family.plan(first, request.training)) {
    answer.considered = static_cast<std::int64_t>(variants.size());
    answer.refused.push_back({refusal->constraint, answer.considered, first, *refusal});
    return answer;
  }
  FamilySearch(family, strategy, variants, request, bar).run(answer);
  return answer;
}

double shortfall(double needed, double available) { return needed / std::max(available, 1e-9); }

}  // namespace oracle
