#include "oracle/budget/trials.h"

#include <algorithm>
#include <cmath>

namespace oracle {
namespace {

std::int64_t power(std::int64_t base, std::int64_t exponent) {
  std::int64_t product = 1;
  for (std::int64_t i = 0; i < exponent; ++i) product *= base;
  return product;
}

/// Trials of Hyperband's bracket that begins `s` rungs before the last: ⌈K·η^s/(s+1)⌉.
std::int64_t trials_of_bracket(std::int64_t rungs, std::int64_t eta, std::int64_t s) {
  return (rungs * power(eta, s) + s) / (s + 1);
}

}  // namespace

std::string_view name_of(TrialScheduler scheduler) {
  constexpr std::array<std::string_view, kTrialSchedulerCount> kNames = {"random", "halving",
                                                                         "hyperband", "asha"};
  return kNames[static_cast<std::size_t>(scheduler)];
}

std::int64_t trials_of_sweep(std::int64_t rungs, std::int64_t eta) {
  std::int64_t sum = 0;
  for (std::int64_t s = 0; s < rungs; ++s) sum += trials_of_bracket(rungs, eta, s);
  return sum;
}

std::vector<Bracket> brackets_of(const TrialSearch& search) {
  const std::int64_t last = search.rungs - 1;
  switch (search.scheduler) {
    case TrialScheduler::random:
      return {{search.trials, last}};
    case TrialScheduler::halving:
      return {{search.trials, 0}};
    case TrialScheduler::asha:
      return {{search.trials, 0, false}};
    case TrialScheduler::hyperband:
      break;
  }
  std::vector<Bracket> brackets;
  std::int64_t left = search.trials;
  for (std::int64_t s = last; left > 0; s = s == 0 ? last : s - 1) {
    const std::int64_t trials = std::min(left, trials_of_bracket(search.rungs, search.eta, s));
    brackets.push_back({trials, last - s});
    left -= trials;
  }
  return brackets;
}

double part_at(const TrialSearch& search, std::int64_t rung) {
  return std::pow(static_cast<double>(search.eta), static_cast<double>(rung - search.rungs + 1));
}

TrialQueue::TrialQueue(const TrialSearch& search) : search_(search) {
  std::int64_t first = 0;
  for (const Bracket& bracket : brackets_of(search)) {
    Course course{bracket, 0, first, {}};
    course.rungs.resize(static_cast<std::size_t>(search.rungs - bracket.first_rung));
    courses_.push_back(std::move(course));
    first += bracket.trials;
  }
}

/// At the least one trial goes on, so that each bracket ends in a whole training.
std::int64_t TrialQueue::expected(const Course& course, std::size_t rung) const {
  std::int64_t trials = course.bracket.trials;
  for (std::size_t r = 0; r < rung; ++r) trials = std::max<std::int64_t>(1, trials / search_.eta);
  return trials;
}

bool TrialQueue::is_judged(const Course& course, std::size_t rung) const {
  return !course.bracket.waits || course.rungs[rung].there() == expected(course, rung);
}

TrialRun TrialQueue::run_to(std::int64_t trial, std::int64_t rung, std::size_t bracket) const {
  const bool begins = rung == courses_[bracket].bracket.first_rung;
  return {trial, rung, bracket, begins ? 0 : part_at(search_, rung - 1), part_at(search_, rung)};
}

std::optional<TrialRun> TrialQueue::next_of(std::size_t bracket) {
  Course& course = courses_[bracket];
  for (std::size_t r = course.rungs.size() - 1; r-- > 0;) {
    Rung& rung = course.rungs[r];
    if (rung.waiting.empty() || !is_judged(course, r)) continue;
    const std::int64_t trial = rung.waiting.begin()->second;
    rung.waiting.erase(rung.waiting.begin());
    rung.gone.insert(trial);
    return run_to(trial, course.bracket.first_rung + static_cast<std::int64_t>(r) + 1, bracket);
  }
  if (course.begun == course.bracket.trials) return std::nullopt;
  return run_to(course.first_trial + course.begun++, course.bracket.first_rung, bracket);
}

std::optional<TrialRun> TrialQueue::next() {
  for (std::size_t b = 0; b < courses_.size(); ++b) {
    if (auto run = next_of(b)) return run;
  }
  return std::nullopt;
}

void TrialQueue::end(const TrialRun& run, double loss) {
  Course& course = courses_[run.bracket];
  const auto r = static_cast<std::size_t>(run.rung - course.bracket.first_rung);
  Rung& rung = course.rungs[r];
  rung.others.insert({loss, run.trial});
  const auto place = static_cast<std::size_t>(
      std::max<std::int64_t>(rung.there() / search_.eta, rung.there() == expected(course, r)));
  const auto promote = [&](Judged judged) {
    rung.best.insert(judged);
    if (!rung.gone.contains(judged.second)) rung.waiting.insert(judged);
  };
  if (rung.best.size() < place) promote(rung.others.extract(rung.others.begin()).value());
  while (!rung.best.empty() && !rung.others.empty() && *rung.others.begin() < *rung.best.rbegin()) {
    const Judged worst = *rung.best.rbegin();
    rung.best.erase(worst);
    rung.waiting.erase(worst);
    promote(rung.others.extract(rung.others.begin()).value());
    rung.others.insert(worst);
  }
}

}  // namespace oracle
