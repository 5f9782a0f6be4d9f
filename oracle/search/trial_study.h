#pragma once
// How many devices for each trial of a search of hyper-parameters?
//
// A trial on g of W devices trains faster by its scaling curve, and ⌊W/g⌋ trials train at a time
// (budget/trial_course.h). As no curve is steeper than linear, more than one device for each pays
// where devices would wait otherwise: fewer trials than devices, the last wave, rungs that wait;
// or where a trial does not fit on one.
//
// Worked: 16 trials on 32 devices are fastest with two for each tests/search/trial_study_test.cpp

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "oracle/budget/run_cost.h"
#include "oracle/budget/trial_course.h"
#include "oracle/evaluate/evaluation.h"

namespace oracle {

struct TrialRequest {
  std::int64_t ranks = 1;               ///< of the machine
  std::vector<std::int64_t> per_trial;  ///< ranks that are tried, ascending, none above `ranks`
  TrialSearch search;
  Strategy strategy;                                  ///< of a trial; one axis has degree 0
  Training training;                                  ///< its batch is replaced
  std::optional<std::int64_t> batch, batch_per_rank;  ///< of a trial: one of the two
  TrainingLength length;                              ///< of a whole training
  Seconds start;                                      ///< of each run, before it trains
  HourlyRates rates;
  /// Called with how many counts are done, and of how many; false: no more are.
  std::function<bool(std::int64_t done, std::int64_t all)> progress{};
};

/// So many ranks for each trial.
struct TrialPoint {
  std::int64_t ranks = 1;
  std::int64_t places = 1;  ///< trials at a time
  std::int64_t batch = 1;
  Evaluation evaluation;  ///< of a step, without details
  Cost alone{};           ///< a whole training; where it fits, as all that follows
  TrialCourses courses{};
  RunCost cost{};  ///< of the search: its time, and what the machine takes for so long
  bool fits() const { return evaluation.fits() != nullptr; }
};

/// The best for another number of trials.
struct TrialTurn {
  std::int64_t trials = 1;
  std::int64_t ranks = 1;
  Seconds time;
};

struct TrialStudy {
  std::vector<TrialPoint> points;
  std::optional<std::size_t> best;   ///< the fastest; of equals the one of fewest ranks
  std::vector<TrialTurn> by_trials;  ///< 1, 2, 4, … up to those asked for; none: nothing fits
};

/// Throws InputError as fill() does.
TrialStudy study_trials(const Setting& setting, const TrialRequest& request);

}  // namespace oracle
