// What a rank keeps of a transformer, against closed forms of the literature: bytes of weights,
// gradients and optimizer state for each parameter, and of a block's activations for each token.

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <numeric>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/transformers/architecture.h"
#include "oracle/memory/footprint.h"
#include "oracle/memory/liveness.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace llm_memory_test {

using Json = nlohmann::json;

std::vector<Json> rows_of(const std::string& file) {
  std::ifstream stream(std::string(ORACLE_SOURCE_DIR) + "/tests/conformance/data/" + file);
  std::vector<Json> rows;
  for (std::string line; std::getline(stream, line);) rows.push_back(Json::parse(line));
  return rows;
}

Cluster cluster_of(std::int64_t ranks) {
  return load_cluster(std::to_string(ranks + 1) + "x1xh100-sxm5-80gb,net=50GB/s");
}

Plan plan_of(const Graph& graph, const Strategy& strategy, const Training& training) {
  auto made = partition(graph, strategy, training, cluster_of(strategy.ranks()));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

/// How the regimes of the table are asked for here; others have no precision of ours.
struct Regime {
  const char* name;
  const char* precision;
  const char* optimizer;
};
constexpr Regime kRegimes[] = {
    {"fp32 momentum", "fp32", "momentum"},
    {"fp32 adam", "fp32", "adam"},
    {"zero paper: 16-bit parameters and gradients, fp32 master, adam", "fp16", "adam"},
};

TEST(LlmState, HasThePublishedBytesOfAParameter) {
  // 512 weights that any number of ranks divides.
  const Graph graph = dense_chain({1024, 1024});
  const double parameters = 1024 * 1024;
  int compared = 0;
  for (const Json& row : rows_of("llm_state_bytes.jsonl")) {
    const auto regime =
        std::find_if(std::begin(kRegimes), std::end(kRegimes),
                     [&](const Regime& one) { return row.at("regime") == one.name; });
    if (regime == std::end(kRegimes)) continue;
    SCOPED_TRACE(row.dump());
    Training training;
    training.batch = row.at("data");
    training.precision = precision_named(regime->precision);
    training.optimizer = optimizer_named(regime->optimizer);
    const Strategy strategy = parse_strategy("data:" + std::to_string(training.batch) + "; zero=" +
                                             std::to_string(row.at("zero_stage").get<int>()));
    const Plan plan = plan_of(graph, strategy, training);
    const Footprint memory = footprint(graph, plan, cluster_of(1));
    const Bytes state = memory.of(MemoryUse::weights) + memory.of(MemoryUse::gradients) +
                        memory.of(MemoryUse::optimizer);
    EXPECT_NEAR(state.value / parameters, row.at("bytes_per_parameter").get<double>(), 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 3 * (1 + 3 * 4));
}

transformers::Architecture llama(const Json& row, std::int64_t layers) {
  transformers::Architecture of;
  of.hidden = row.at("h");
  of.layers = layers;
  of.heads = row.at("nh");
  of.kv_heads = row.at("kv");
  of.head_size = row.at("d");
  of.ffn = row.at("f");
  of.vocabulary = 1024;
  of.rotary = of.head_size;
  of.rms = of.gated = true;
  of.activation = "silu";
  return of;
}

double kept_bytes(const Json& row, std::int64_t layers) {
  const std::int64_t sequence = row.at("s"), degree = row.at("tensor");
  const Graph graph = build(llama(row, layers), "llama", sequence);
  Training training;
  training.precision = precision_named("bf16");
  Strategy strategy = parse_strategy("tensor_sequence:" + std::to_string(degree));
  strategy.regather = true;
  const Plan plan = plan_of(graph, strategy, training);
  return liveness(graph, plan, 0).kept.value / static_cast<double>(sequence);
}

// One block more keeps what the row says, but for the statistics of its two norms, 4 bytes of a
// token each, which backward computes again here.
TEST(LlmActivations, OfABlockAreThoseOfTheLiterature) {
  int compared = 0;
  for (const Json& row : rows_of("llm_activation_memory.jsonl")) {
    const std::string model = row.at("model");
    if (!row.contains("items") || !model.starts_with("llama")) continue;
    SCOPED_TRACE(model + " over " + std::to_string(row.at("tensor").get<int>()));
    double stated = 0;
    for (const auto& [name, bytes] : row.at("items").items()) {
      if (name.find("statistics") == std::string::npos) stated += bytes.get<double>();
    }
    EXPECT_NEAR(kept_bytes(row, 3) - kept_bytes(row, 2), stated, 1e-6 * stated);
    ++compared;
  }
  EXPECT_EQ(compared, 6);
}

}  // namespace llm_memory_test
}  // namespace oracle
