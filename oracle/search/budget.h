#pragma once
// How many devices, and which batch, for a whole training?
//
// At each count every batch is tried that is a power of two times the replicas of the strategy
// (whose open axis takes what the others leave), or the one that was asked for. A step gives
// steps · step, device-hours, money and energy (budget/run_cost.h). A larger batch shortens an
// epoch and needs more of them (budget/convergence.h), so the fastest count is finite.
//
// Where storage is asked for, a step takes longer by what it waits for samples
// (evaluate/storage_costs.h). Where failures are asked for, a run takes longer by its goodput
// (budget/goodput.h); ranks fail independently, so that half of them fail half as often.
//
// Worked: a batch of 64 on 4 replicas stands among 4, 8, 16, …   tests/search/budget_test.cpp

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "oracle/budget/run_cost.h"
#include "oracle/evaluate/storage_costs.h"

namespace oracle {

/// What the best run is best at; money is device-hours, whatever an hour costs.
enum class BudgetObjective : std::uint8_t { time, cost, energy };
inline constexpr std::size_t kBudgetObjectiveCount = 3;
std::string_view name_of(BudgetObjective objective);

/// How often a machine fails, and what a checkpoint takes.
struct FailureRequest {
  Seconds mtbf;                         ///< of `ranks` ranks together; infinite: they never fail
  std::int64_t ranks = 1;               ///< of which it is known
  Seconds checkpoint;                   ///< for which training waits
  Seconds restart;                      ///< after a failure
  std::optional<std::int64_t> every{};  ///< steps between checkpoints; absent: Daly's interval
  Seconds behind{};                     ///< to write one while training goes on
};

/// What becomes of it on a number of ranks.
struct Checkpointing {
  Seconds mtbf;
  std::int64_t every = 1;  ///< steps
  double goodput = 1;
};

struct BudgetRequest {
  std::vector<std::int64_t> counts;   ///< ranks, ascending
  Strategy strategy;                  ///< one axis has degree 0: it takes what the others leave
  Training training;                  ///< its batch is replaced
  std::optional<std::int64_t> batch;  ///< samples of a step, over all ranks
  std::optional<std::int64_t> batch_per_rank;  ///< absent as well: the best
  TrainingLength length;
  HourlyRates rates;
  BudgetObjective objective = BudgetObjective::time;
  std::optional<Seconds> deadline;
  std::optional<double> purse;              ///< dollars; wants a price
  std::optional<StorageRequest> storage{};  ///< absent: samples are there in time
  std::optional<FailureRequest> failures{};
  /// Called with how many counts are done, and of how many; false: no more are.
  std::function<bool(std::int64_t done, std::int64_t all)> progress{};
};

/// One count with one batch.
struct BudgetRun {
  std::int64_t ranks = 1;
  std::int64_t batch = 1;
  Evaluation evaluation;  ///< without details
  double busy = 0;        ///< part of the step in which a rank computes
  DataToTarget data;
  std::optional<InputCost> input{};            ///< where storage is asked for
  std::optional<Checkpointing> checkpoints{};  ///< where failures are asked for
  RunCost cost;                                ///< of a run that fits
  bool allowed = false;                        ///< fits, and keeps to deadline and purse
  bool fits() const { return evaluation.fits() != nullptr; }
};

struct BudgetStudy {
  std::vector<BudgetRun> points;  ///< the best of each count, or why none fits
  /// Of all counts and batches, by objective; allowed ones go first. Absent: nothing fits.
  std::array<std::optional<BudgetRun>, kBudgetObjectiveCount> best;
  std::int64_t tried = 0;  ///< counts and batches

  const BudgetRun* best_for(BudgetObjective objective) const {
    const auto& run = best[static_cast<std::size_t>(objective)];
    return run ? &*run : nullptr;
  }
};

/// The part of the step in which ranks compute; stages of a pipeline wait in turn.
double busy_share(const Fits& fits);

/// Throws InputError where the machine fails so often that next to nothing is done.
Checkpointing checkpointing(const FailureRequest& request, std::int64_t ranks, Seconds step);

/// Throws InputError as fill() and checkpointing() do.
BudgetStudy budget(const Setting& setting, const BudgetRequest& request);

/// Batches that are tried with the strategy, whose degrees are known.
std::vector<std::int64_t> batches_of(const Strategy& strategy, const BudgetRequest& request);

}  // namespace oracle
