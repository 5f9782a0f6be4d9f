#pragma once
// What does a whole training take: steps, time, device-hours, money and energy?
//
//   steps         ⌈amount·⌈D/B⌉⌉ of epochs of D samples, ⌈amount/B⌉ where samples are counted
//   time          steps · step
//   device-hours  time · devices
//   energy        device-hours · board · (idle + (busy - idle)·u) · PUE
//
// u is the part of a step in which a device computes; while it waits it draws its idle power. Both
// are parts of the board's power: busy 0.76 (demanding training draws that part of the rated power
// of a node of eight H100; estimates from rated power err by 27 to 37 %: Newkirk et al., arXiv
// 2506.14551) and idle 0.19 (an idle V100 at its clocks, 56.6 of 300 W:
// github.com/NVIDIA/nvidia-docker/issues/1076). A data centre draws 1.58 times what its computers
// do (Uptime Institute, Global Data Center Survey, 2023).
//
// Relative errors of the step, of the data and of power are independent: roots of sums of squares.
//
// Worked: 35 epochs of 1,281,167 samples at batch 1,024 and 0.1 s a step on 8 devices that compute
// nine tenths of the step, 300 W each, PUE 1: 43,820 steps, 1.217 h, 9.738 device-hours, 2.054 kWh
//                                                                tests/budget/run_cost_test.cpp

#include <cstdint>
#include <optional>
#include <variant>

#include "oracle/base/cost.h"
#include "oracle/budget/convergence.h"

namespace oracle {

inline constexpr double kBusyShare = 0.76, kIdleShare = 0.19;
/// Relative half-width of the 90 % interval of a board's mean power.
inline constexpr double kPowerUncertainty = 0.32;
inline constexpr double kUsualPue = 1.58;

/// How long is trained.
struct TrainingLength {
  std::int64_t epoch_samples = 0;  ///< of a pass through the data; 0: amounts are samples
  std::variant<double, ConvergenceLaw> amount = 0.0;  ///< whatever the batch, or what it needs

  bool counts_epochs() const { return epoch_samples > 0; }
};

/// Epochs, or samples, with this batch.
DataToTarget data_at(const TrainingLength& length, std::int64_t batch);

/// Throws InputError where there are more than can be counted.
std::int64_t steps_of(const TrainingLength& length, const DataToTarget& data, std::int64_t batch);

/// What an hour of a device costs and draws; 0: not known.
struct HourlyRates {
  double price = 0;        ///< dollars
  double board_power = 0;  ///< watts
  double pue = kUsualPue;  ///< what the data centre draws over what its computers do
};

/// What a run errs by; each a relative half-width of a 90 % interval.
struct RunUncertainty {
  double step = 0, data = 0, power = 0;
};

struct RunCost {
  std::int64_t steps = 0;
  Cost time;
  double device_hours = 0;
  std::optional<double> dollars{};  ///< as uncertain as the time
  std::optional<double> kilowatt_hours{};
  double energy_uncertainty = 0;
  RunUncertainty parts{};
};

/// `busy`: the part of a step in which a device computes.
RunCost run_cost(std::int64_t steps, const Cost& step, double data_uncertainty, double devices,
                 double busy, const HourlyRates& rates);

}  // namespace oracle
