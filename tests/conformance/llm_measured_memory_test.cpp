// What a rank needs of a transformer's memory, against hand sums of the literature and what was
// measured on B200 (Megatron-Core, 18 bytes of a parameter, shards of the optimizer, fused loss).
//
// Of each stage parameters and logits agree to the byte, and saved activations and state but for
// two conventions. Backward computes the mean and deviation of norms' rows again, 8 bytes of a
// token and block. And ranks that take their part of the positions sum the gradients of norms as
// well, so that these share the state of norms, which the sums leave whole on each of them.

#include <algorithm>
#include <gtest/gtest.h>

#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/memory/footprint.h"
#include "oracle/plan/pipeline_order.h"
#include "tests/conformance/llm_rows.h"

namespace oracle {
namespace llm_measured_memory_test {

using llm::Json;

constexpr double kGiB = 0x1p30;
constexpr double kNormStatistics = 8;

transformers::Architecture architecture_of(const Json& row) {
  const bool large = row.at("hidden") == 16384;
  transformers::Architecture of;
  of.hidden = row.at("hidden");
  of.layers = row.at("layers");
  of.heads = large ? 128 : 64;
  of.kv_heads = large ? 16 : 8;  // as the source ran them
  of.head_size = 128;
  of.ffn = large ? 53248 : 28672;
  of.vocabulary = 128256;
  of.rotary = of.head_size;
  of.rms = of.gated = of.causal = true;
  of.activation = "silu";
  return of;
}

std::string strategy_of(const Json& row) {
  const std::pair<const char*, const char*> axes[] = {{"pipeline", "pipeline"},
                                                      {"data", "data"},
                                                      {"context", "context"},
                                                      {"tensor_sequence", "tensor"}};
  std::string text;
  for (const auto& [axis, key] : axes) {
    if (row.at(key) == 1) continue;
    text += (text.empty() ? "" : ",") + std::string(axis) + ":" + row.at(key).dump();
  }
  text = (text.empty() ? "serial" : text) + "; micro_batches=" + row.at("micro_batches").dump();
  if (row.at("pipeline") == 2) {
    text += "; stages=layers." + std::to_string(row.at("layers").get<int>() / 2) + ".norm1";
  }
  return text + "; zero=1; regather=on";
}

struct Planned {
  Graph graph;
  Plan plan;
};

/// `left_out`: blocks of each stage that are not there.
Planned run_of(Json row, std::int64_t left_out = 0) {
  row.at("layers") =
      row.at("layers").get<std::int64_t>() - left_out * row.at("pipeline").get<std::int64_t>();
  Graph graph = build(architecture_of(row), "llama", row.at("seq"));
  Training training = llm::training_of(row.at("micro_batches").get<std::int64_t>() *
                                       row.at("data").get<std::int64_t>());
  training.run_by(load_framework("megatron"));
  training.framework.fp32_loss = false;
  Plan plan = llm::plan_of(graph, strategy_of(row), training);
  return {std::move(graph), std::move(plan)};
}

StageNeed need_of(const Planned& run, std::size_t stage) {
  return stage_need(run.graph, run.plan, stage, llm::cluster_of(run.plan.ranks()));
}

double parameters_of(const Plan& plan, const Stage& stage) {
  std::int64_t sum = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) sum += plan.pieces[id].owned();
  return static_cast<double>(sum);
}

/// What the sums have of state beyond what shards over `data` ranks leave.
double unshared_state(const Planned& run, const Stage& stage, double data) {
  const double each =
      run.plan.training.precision.master_bytes + run.plan.training.optimizer.state_bytes;
  double bytes = 0;
  for (LayerId id = stage.first; id < stage.last; ++id) {
    const auto shards = static_cast<double>(run.plan.shards(id));
    bytes += each * static_cast<double>(run.plan.pieces[id].owned()) * (1 / data - 1 / shards);
  }
  return bytes;
}

/// What the head makes; 0 in a stage without it.
double logits_of(const Planned& run, const Stage& stage) {
  const auto head = static_cast<LayerId>(run.graph.size() - 2);
  const auto found =
      std::find_if(stage.tensors.begin(), stage.tensors.end(), [&](const PlanTensor& tensor) {
        return tensor.layer == head && tensor.role == Role::activation;
      });
  return found == stage.tensors.end() ? 0 : found->bytes.value;
}

TEST(LlmMeasuredMemory, HasEveryPartOfTheHandSums) {
  int compared = 0;
  for (const Json& row : llm::rows_of("llm_memory_against_measured.jsonl")) {
    SCOPED_TRACE(row.at("id").get<std::string>());
    const Planned run = run_of(row), shorter = run_of(row, 1);
    const auto stages = static_cast<std::int64_t>(run.plan.stages.size());
    ASSERT_EQ(stages, static_cast<std::int64_t>(row.at("stages").size()));
    const double blocks = row.at("layers").get<double>() / static_cast<double>(stages);
    const double data = row.at("data").get<double>() * row.at("context").get<double>();
    const double tokens = row.at("seq").get<double>() / row.at("context").get<double>() /
                          row.at("tensor").get<double>();
    for (const Json& stated : row.at("stages")) {
      const std::size_t s = stated.at("stage");
      const Stage& stage = run.plan.stages[s];
      const StageNeed need = need_of(run, s);
      EXPECT_EQ(parameters_of(run.plan, stage), stated.at("parameters").get<double>());
      EXPECT_EQ((need.one.of(MemoryUse::weights) + need.one.of(MemoryUse::gradients) +
                 need.one.of(MemoryUse::optimizer))
                        .value +
                    unshared_state(run, stage, data),
                stated.at("state_bytes").get<double>());
      EXPECT_EQ(logits_of(run, stage), stated.at("logits_16_bit_bytes").get<double>());
      const std::int64_t held = in_flight(run.plan.pipeline(), static_cast<std::int64_t>(s));
      EXPECT_EQ(held, stated.at("in_flight").get<std::int64_t>());
      const double of_a_block =
          need.kept.activations.value - need_of(shorter, s).kept.activations.value;
      EXPECT_EQ((of_a_block + kNormStatistics * tokens) * blocks * static_cast<double>(held),
                stated.at("saved_activation_bytes").get<double>());
    }
    ++compared;
  }
  EXPECT_EQ(compared, 31);
}

/// What the sums leave out (transients of backward, gathered tensors) is what liveness finds.
TEST(LlmMeasuredMemory, LiesBetweenTheHandSumsAndWhatWasMeasured) {
  for (const Json& row : llm::rows_of("llm_memory_against_measured.jsonl")) {
    SCOPED_TRACE(row.at("id").get<std::string>());
    const Planned run = run_of(row);
    const Footprint memory = footprint(run.graph, run.plan, llm::cluster_of(run.plan.ranks()));
    const double allocated = memory.allocated().value / kGiB;
    const double measured = row.at("measured_allocated_GiB");
    EXPECT_GE(allocated, row.at("largest_sum_GiB").get<double>());
    EXPECT_LE(allocated, measured);
    EXPECT_GE(allocated, 0.95 * measured);
  }
}

}  // namespace llm_measured_memory_test
}  // namespace oracle
