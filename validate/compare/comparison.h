#pragma once
// How far is a run from what was predicted for it, as a whole and item by item?
//
//   signed error = (predicted − measured) / measured
//
// Layers and transfers are matched by name; transfers of one kind (stage, layer, payload,
// collective, phase) are added up on both sides. Bytes are promises, not estimates
// (validate/README.md):
//
//   the communicator counts     what the items add up to
//   the rank that sends most    sends for each item the plan's bytes
//
// Worked: predicted 80 ms ± 10 %, measured 100 ms → −20 %, outside the interval by 12 ms
//                                                      tests/validate/compare/comparison_test.cpp

#include <optional>
#include <string>
#include <vector>

#include "oracle/accuracy/accuracy.h"
#include "oracle/record/pair.h"
#include "validate/record/prediction.h"

namespace oracle {

struct LayerPair {
  std::size_t stage = 0;
  std::string layer;
  Pair forward, backward_data, backward_weights, total;
};

enum class Wire : std::uint8_t { equal, differs, unknown };
std::string_view name_of(Wire wire);

struct TransferPair {
  TransferSeconds key;  ///< of the figures only those that name it
  std::optional<double> predicted_busy;
  Pair exposed;
  Pair sent;  ///< bytes by one rank; predicted: by the plan that was run
  Wire wire = Wire::unknown;
};

struct RunComparison {
  Comparison step;
  StepSpread spread;
  Pair forward, backward, update, exposed_activation, exposed_gradient, rest, exposed, memory;
  Pair checkpoint;  ///< until one is written; measured where the run wrote some
  std::vector<LayerPair> layers;
  std::vector<TransferPair> transfers;
  bool counters_agree = true;  ///< communicator and items
  std::vector<std::string> notes;

  bool bytes_hold() const;
  /// By how much the measured step lies outside the predicted interval; 0 inside.
  Seconds outside() const;
};

/// Throws InputError where the two are not of the same network, strategy, batch or training.
RunComparison compare(const Prediction& prediction, const Measurement& run, std::int64_t warm_up);

}  // namespace oracle
