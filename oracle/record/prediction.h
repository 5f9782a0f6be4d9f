#pragma once
// What does a prediction say of a training step, in the terms that runs are compared in?
//
// The numbers of the document that `oracle estimate --format json` writes; of an earlier run, if
// that is what a later one is compared with. Times are those of one rank over a whole step.
//                                                      tests/validate/record/prediction_test.cpp

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/base/cost.h"

namespace oracle {

/// What was to be trained, as text on both sides.
struct Asked {
  std::string model, strategy, precision, optimizer, cluster;
  std::int64_t batch = 1;
  std::int64_t ranks = 1;
};

/// A layer's passes on one rank over a whole step [s].
struct LayerSeconds {
  std::size_t stage = 0;
  std::string layer;
  std::string piece;  ///< of its output, on one rank: "4×8x16x16"; empty where it has no item
  double forward = 0;
  double backward_data = 0;
  double backward_weights = 0;
  std::string kind{};  ///< of the layer; empty where a run does not say

  double total() const { return forward + backward_data + backward_weights; }
};

/// Transfers of one kind over a whole step.
struct TransferSeconds {
  std::size_t stage = 0;
  std::string layer, payload, collective, phase;
  double seconds = 0;  ///< busy; of a run not known, and equal to `exposed`
  double exposed = 0;
  double sent = 0;     ///< bytes, by the rank that sends most
  double planned = 0;  ///< bytes, by the plan
};

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
  std::optional<Cost> checkpoint;    ///< until it is written; none where no rate is known
  std::vector<LayerSeconds> layers;
  std::vector<TransferSeconds> transfers;
  std::vector<std::string> assumptions;
  bool is_run = false;
};

}  // namespace oracle
