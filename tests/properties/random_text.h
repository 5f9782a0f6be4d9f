#pragma once
// A random network of texts: does it have every form of a transformer that a cut can stumble over?
//
// GPT (learned positions, biases, one MLP), Llama (rotary, gated, grouped queries), BERT (norms
// after sums), parallel blocks, latent and linear attention, blocks of one part, windows, tied
// heads, and mixtures of experts with shared ones, scores, corrections and narrowed tokens. One to
// three blocks, sizes few and often odd.
//                                                            tests/properties/random_cases_test.cpp

#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"
#include "oracle/plan/training.h"
#include "tests/properties/random.h"

namespace oracle {

Graph random_text_graph(Random& random);

/// A strategy of the ways to cut a text, with shards of state, recomputation, regathering and
/// chunks; rules leave the loss whole in some.
Strategy random_text_strategy(Random& random, std::int64_t ranks);

/// Formats of state that may be asked for beside a precision.
void draw_state(Random& random, Training& training);

}  // namespace oracle
