#pragma once
// How many tokens a second does a training step make, and what part of the peak is that?
//
//   model FLOPs of a step = 3 · forward · batch
//   utilization = model FLOPs / (step · ranks · peak)        Chowdhery et al., PaLM, appendix B
//
// Forward has 2 per multiply-add of every product, and of the pairs of attention that the mask
// leaves. Backward has twice as many; what is computed again counts nothing. Where weights stay as
// they are backward has those of the gradients that are made: of a product without its own 2 ·
// forward.
//
// Worked: 1 TFLOP forward for each of 8 texts, 1 s, 1 rank of 100 TFLOP/s: 24 %
//                                                       tests/evaluate/token_rates_test.cpp

#include <optional>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

struct TokenRates {
  double tokens = 0;           ///< per second
  double tokens_per_rank = 0;  ///< per second
  FlopRate per_rank;           ///< of the model's FLOPs
  bool trains_all = true;      ///< all weights are trained
  double utilization = 0;      ///< of the data sheet's peak in the format that is computed in
};

/// Of a network that reads texts and a strategy that fits; else nothing.
std::optional<TokenRates> token_rates(const Graph& graph, const Cluster& cluster,
                                      const Evaluation& evaluation);

}  // namespace oracle
