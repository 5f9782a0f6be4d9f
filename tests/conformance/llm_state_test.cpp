// What a rank keeps for each parameter of a transformer: weights, gradients and optimizer state, by
// regime, stage of ZeRO and ranks, against closed forms of the literature.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/memory/footprint.h"
#include "tests/conformance/llm_rows.h"
#include "tests/plan/tiny_graphs.h"

namespace oracle {
namespace llm_state_test {

using llm::Json;

/// How a regime of the table is asked for: --precision, --optimizer, --framework and the rest.
struct Regime {
  const char* name;
  const char* precision;
  const char* optimizer;
  const char* framework;
  StateFormats state = {};
};

const Regime kRegimes[] = {
    {"fp32 momentum", "fp32", "momentum", "pytorch"},
    {"fp32 adam", "fp32", "adam", "pytorch"},
    {"autocast: fp32 parameters and gradients, adam", "bf16", "adam", "pytorch"},
    {"zero paper: 16-bit parameters and gradients, fp32 master, adam", "fp16", "adam",
     "oracle-train"},
    {"megatron: bf16 parameters, fp32 main gradients, fp32 master, adam", "bf16", "adam",
     "megatron"},
    {"megatron: fp16 parameters and gradients kept beside fp32 copies, adam",
     "fp16",
     "adam",
     "megatron",
     {2, {}, 8}},
    {"bf16 parameters and gradients, fp32 master, bf16 moments (deepseek-v3)", "bf16", "adam_bf16",
     "oracle-train"},
    {"bf16 everything, adam", "bf16", "adam_bf16", "pytorch", {{}, {}, 0}},
    {"fp8 parameters with transposed copy, fp32 main gradients, fp32 master, adam", "fp8", "adam",
     "megatron"},
    {"bf16 parameters, fp32 main gradients, fp32 master, 8-bit adam", "bf16", "adam8bit",
     "megatron"},
    {"bf16 parameters and gradients, fp32 master, sgd momentum", "bf16", "momentum",
     "oracle-train"},
};

const Regime& regime_of(const Json& row) {
  const auto* found = std::find_if(std::begin(kRegimes), std::end(kRegimes),
                                   [&](const Regime& one) { return row.at("regime") == one.name; });
  if (found == std::end(kRegimes)) throw std::runtime_error(row.dump());
  return *found;
}

Training training_of(const Regime& regime, std::int64_t batch) {
  Training training;
  training.batch = batch;
  training.precision = precision_named(regime.precision);
  training.optimizer = optimizer_named(regime.optimizer);
  training.state = regime.state;
  training.run_by(load_framework(regime.framework));
  return training;
}

/// 1024 x 1024 parameters of a linear, which any number of ranks divides.
Graph one_linear() {
  GraphBuilder builder("linear");
  const LayerId linear = builder.add("linear", "dense", {builder.input(shape_of(1024))},
                                     {{"features", std::int64_t{1024}}, {"bias", false}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {linear, linear})});
  return builder.finish();
}

TEST(LlmState, HasThePublishedBytesOfAParameter) {
  const Graph graph = one_linear();
  const double parameters = 1024 * 1024;
  int compared = 0;
  for (const Json& row : llm::rows_of("llm_state_bytes.jsonl")) {
    SCOPED_TRACE(row.dump());
    const int zero = row.at("zero_stage");
    const Training training = training_of(regime_of(row), row.at("data"));
    const Plan plan = llm::plan_of(
        graph, "data:" + std::to_string(training.batch) + "; zero=" + std::to_string(zero),
        training);
    const Footprint memory = footprint(graph, plan, llm::cluster_of(1));
    const auto per_parameter = [&](MemoryUse use) { return memory.of(use).value / parameters; };
    const double data = row.at("data");
    const auto stated = [&](const char* part, int from) {
      return row.at(part).get<double>() / (zero >= from ? data : 1);
    };
    const double weights = per_parameter(MemoryUse::weights);
    const double gradients = per_parameter(MemoryUse::gradients);
    const double optimizer = per_parameter(MemoryUse::optimizer);
    EXPECT_EQ(weights, stated("parameter", 3));
    EXPECT_EQ(gradients, stated("gradient", 2));
    EXPECT_EQ(optimizer, stated("master", 1) + stated("moments", 1));
    EXPECT_EQ(weights + gradients + optimizer, row.at("bytes_per_parameter").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 143);
}

/// The note of the rows for autocast.
TEST(LlmState, OfAutocastHasCastsBesideUnlessTheyAreGathered) {
  const Graph graph = dense_chain({1024, 1024});
  const double parameters = 1024 * 1024;
  for (const int zero : {0, 1, 2, 3}) {
    const Training training = training_of(kRegimes[2], 8);
    const Plan plan = llm::plan_of(graph, "data:8; zero=" + std::to_string(zero), training);
    const Footprint memory = footprint(graph, plan, llm::cluster_of(1));
    EXPECT_EQ(memory.of(MemoryUse::casts).value, zero < 3 ? 2 * parameters : 0) << zero;
  }
}

}  // namespace llm_state_test
}  // namespace oracle
