#pragma once
// What do the comparisons with closed forms of transformers share?

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "oracle/io/models/transformers/architecture.h"
#include "oracle/plan/plan.h"

namespace oracle::llm {

using Json = nlohmann::json;

/// The lines of a file of tests/conformance/data.
std::vector<Json> rows_of(const std::string& file);

/// Enough of everything.
Cluster cluster_of(std::int64_t ranks);

/// Throws where there is none.
Plan plan_of(const Graph& graph, const std::string& strategy, const Training& training);

/// Training with Adam in bf16.
Training training_of(std::int64_t batch, const StateFormats& state = {});

/// Activations of one micro-batch that stage 0 keeps for backward, but for numbers of tokens.
double kept_bytes(const Graph& graph, const Plan& plan);

/// What the items of a one-stage plan copy to the host, or from it.
double copied(const Plan& plan, Collective way);

/// A GPT without biases, with dropout, whose attention is written out or fused; layers are named as
/// transformers are (io/models/transformers/architecture.h).
struct Gpt {
  std::int64_t hidden = 0, heads = 0, layers = 0, sequence = 0, vocabulary = 64;
  bool fused = false;
};
Graph build(const Gpt& gpt);

}  // namespace oracle::llm
