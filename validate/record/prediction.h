#pragma once
// What is a run compared with: an evaluation, the document that `oracle estimate` wrote of one, or
// an earlier run?
//
// All three become the same value. Parts are those of the step's length on one stage: of an
// evaluation the busiest, of a run the one that it is compared with, else the busiest.
// What no item of a run's stage holds (waiting for other stages, making the samples) is the rest.
//
// Worked: items of 3 + 5 + 1 ms in a step of 10 ms leave a rest of 1 ms
//                                                      tests/validate/record/prediction_test.cpp

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "validate/record/measurement.h"

namespace oracle {

/// What a step consists of [s].
struct StepParts {
  double forward = 0, backward = 0, update = 0;
  double exposed_activation = 0, exposed_gradient = 0;
  double rest = 0;

  double exposed() const { return exposed_activation + exposed_gradient; }
};

struct Prediction {
  Asked asked;
  Cost step;
  StepParts parts;
  std::optional<std::size_t> stage;  ///< whose parts they are; none in documents of old
  double memory = 0;                 ///< bytes, without what is reserved
  std::optional<Cost> checkpoint;    ///< for which training waits; none where no rate is known
  std::vector<LayerSeconds> layers;
  std::vector<TransferSeconds> transfers;
  std::vector<std::string> assumptions;
  bool is_run = false;
};

std::size_t busiest_stage(const Measurement& run);

/// The parts of a stage of a run whose step took `step` seconds.
StepParts parts_of(const Measurement& run, std::size_t stage, double step);

/// Of an evaluation with Detail::events that fits.
Prediction prediction_of(const Graph& graph, const Cluster& cluster, const Evaluation& evaluation);

Prediction prediction_of(const Measurement& run, std::int64_t warm_up);

/// A document of either schema. Throws InputError with every problem, also where it says that the
/// strategy does not fit.
Prediction parse_prediction(const json::Document& document, std::int64_t warm_up);

}  // namespace oracle
