#include "oracle/budget/run_cost.h"

#include <cmath>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr double kHour = 3600;
/// Doubles count integers up to here.
constexpr double kMostSteps = 0x1p53;

}  // namespace

DataToTarget data_at(const TrainingLength& length, std::int64_t batch) {
  if (const auto* law = std::get_if<ConvergenceLaw>(&length.amount)) {
    return data_to_target(*law, batch);
  }
  return {std::get<double>(length.amount), 0, false};
}

std::int64_t steps_of(const TrainingLength& length, const DataToTarget& data, std::int64_t batch) {
  const double samples = length.counts_epochs() ? static_cast<double>(length.epoch_samples) : 1;
  const double of_one = samples / static_cast<double>(batch);
  const double steps =
      std::ceil(data.amount * (length.counts_epochs() ? std::ceil(of_one) : of_one));
  if (!(steps < kMostSteps)) {
    throw InputError("", "the run has more steps than can be counted", "give fewer samples");
  }
  return static_cast<std::int64_t>(steps);
}

RunCost run_cost(std::int64_t steps, const Cost& step, double data_uncertainty, double devices,
                 double busy, const HourlyRates& rates) {
  RunCost run;
  run.steps = steps;
  run.parts = {step.uncertainty, data_uncertainty, kPowerUncertainty};
  run.time = step * static_cast<double>(steps);
  run.time.uncertainty = std::hypot(step.uncertainty, data_uncertainty);
  run.device_hours = run.time.time.value * devices / kHour;
  if (rates.price > 0) run.dollars = run.device_hours * rates.price;
  if (rates.board_power > 0) {
    const double watts =
        rates.board_power * (kIdleShare + (kBusyShare - kIdleShare) * busy) * rates.pue;
    run.kilowatt_hours = run.device_hours * watts / 1e3;
    run.energy_uncertainty = std::hypot(run.time.uncertainty, kPowerUncertainty);
  }
  return run;
}

}  // namespace oracle
