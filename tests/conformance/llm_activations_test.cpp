// What a block of a transformer keeps for backward, and what it computes again, against closed
// forms of the literature (Korthikanti et al., arXiv 2205.05198) and its figures.
//
// Conventions in which the rows differ from what is planned:
//
//   rows                       convention
//   saved tensors, "norm       count the mean and deviation of each row, 4 bytes each, which
//   statistics"                backward computes again here
//   parameters and optimizer   count the matrices alone: no bias, norm or table
//   selective recomputation    count both products of attention again; the second one's output is
//                              kept here, and it is not
//   logits, highest            leave out the 16-bit gradient that is made of the fp32 one

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <stdexcept>

#include "oracle/cost/compute/kernel.h"
#include "oracle/memory/footprint.h"
#include "oracle/memory/liveness.h"
#include "oracle/plan/pipeline_order.h"
#include "tests/conformance/llm_rows.h"

namespace oracle {
namespace llm_activations_test {

using llm::Gpt;
using llm::Json;
using llm::kept_bytes;
using llm::plan_of;
using llm::training_of;

constexpr double kGiB = 0x1p30;

std::vector<Json> rows_with(const char* key) {
  std::vector<Json> rows;
  for (const Json& row : llm::rows_of("llm_activation_memory.jsonl")) {
    if (row.contains(key)) rows.push_back(row);
  }
  return rows;
}

std::vector<Json> rows_about(const std::string& what) {
  std::vector<Json> rows;
  for (const Json& row : rows_with("what")) {
    if (row.at("what").get<std::string>().starts_with(what)) rows.push_back(row);
  }
  return rows;
}

Gpt gpt_of(const Json& row, std::int64_t layers) {
  return {row.at("hidden"), row.at("heads"), layers, row.at("seq")};
}

/// How a scheme is asked for.
std::string strategy_of(const Json& row) {
  const std::string scheme = row.at("scheme"), degree = std::to_string(row.at("tensor").get<int>());
  const auto has = [&](const char* part) { return scheme.find(part) != std::string::npos; };
  std::string text = "tensor:" + degree;
  if (has("sequence")) text = "tensor_sequence:" + degree + "; regather=on";
  if (scheme == "none") text = "serial";
  if (has("selective")) text += "; recompute=selective";
  if (has("full")) text += "; recompute=full";
  return text;
}

TEST(LlmActivations, OfABlockAreThoseOfEveryScheme) {
  int compared = 0;
  for (const Json& row : rows_with("scheme")) {
    SCOPED_TRACE(row.dump());
    const auto kept = [&](std::int64_t layers) {
      const Graph graph = build(gpt_of(row, layers));
      return kept_bytes(graph,
                        plan_of(graph, strategy_of(row), training_of(row.at("micro_batch"))));
    };
    EXPECT_EQ(kept(3) - kept(2), row.at("layer_bytes").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 28);
}

/// All blocks of the first stage, of all micro-batches in flight.
TEST(LlmActivations, OfAFirstStageAreThoseOfEveryScheme) {
  int compared = 0;
  for (const Json& row : rows_with("scheme")) {
    SCOPED_TRACE(row.dump());
    const std::int64_t ranks = row.at("pipeline"), chunks = row.at("chunks");
    const std::int64_t stages = ranks * chunks, layers = row.at("layers");
    const Graph graph = build(gpt_of(row, layers));
    std::string text = strategy_of(row);
    std::int64_t micro_batches = 1;
    if (stages > 1) {
      // Enough to fill the pipeline.
      micro_batches = chunks > 1 ? 4 * ranks : ranks;
      const std::string mesh = "pipeline:" + std::to_string(ranks);
      text = text.starts_with("serial") ? mesh + text.substr(6) : mesh + "," + text;
      text += "; micro_batches=" + std::to_string(micro_batches) +
              "; chunks=" + std::to_string(chunks) + "; stages=";
      for (std::int64_t s = 1; s < stages; ++s) {
        text += "layers." + std::to_string(s * layers / stages) + ".norm1" +
                (s + 1 < stages ? "," : "");
      }
    }
    const std::int64_t batch = micro_batches * row.at("micro_batch").get<std::int64_t>();
    const Plan plan = plan_of(graph, text, training_of(batch));
    const std::int64_t held = in_flight(plan.pipeline(), 0);
    double kept = kept_bytes(graph, plan);
    // Of one stage the norm before the head and the head keep their inputs as well.
    if (stages == 1) {
      const Graph none = build(gpt_of(row, 0));
      kept -= kept_bytes(
          none, plan_of(none, text.substr(0, text.find("; recompute")), training_of(batch)));
    }
    EXPECT_EQ(kept * static_cast<double>(held), row.at("first_stage_bytes").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 28);
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

Graph network_of(const Json& row, std::int64_t layers) {
  if (row.value("gate", true)) return build(llama(row, layers), "llama", row.at("s"));
  return build(Gpt{row.at("h"), row.at("nh"), layers, row.at("s"), 64, row.value("flash", true)});
}

TEST(LlmActivations, OfABlockAreTheSavedTensorsOfTheLiterature) {
  int compared = 0;
  for (const Json& row : rows_about("saved tensors")) {
    SCOPED_TRACE(row.at("model").get<std::string>() + " over " + row.at("tensor").dump());
    const std::string text = "tensor_sequence:" + row.at("tensor").dump() + "; regather=on";
    const auto kept = [&](std::int64_t layers) {
      const Graph graph = network_of(row, layers);
      return kept_bytes(graph, plan_of(graph, text, training_of(1)));
    };
    double stated = 0;
    for (const auto& [name, bytes] : row.at("items").items()) {
      if (name.find("statistics") == std::string::npos) stated += bytes.get<double>();
    }
    EXPECT_EQ(kept(3) - kept(2), stated * row.at("s").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

/// Saved tensors of a block cross the link to the host once each way.
TEST(LlmActivations, OfABlockMayLieOnTheHost) {
  int compared = 0;
  for (const Json& row : rows_about("saved tensors")) {
    SCOPED_TRACE(row.at("model").get<std::string>() + " over " + row.at("tensor").dump());
    const std::string text = "tensor_sequence:" + row.at("tensor").dump() + "; regather=on";
    const auto of = [&](std::int64_t layers, const std::string& offload, Collective way) {
      const Graph graph = network_of(row, layers);
      const Plan plan = plan_of(graph, text + offload, training_of(1));
      return offload.empty() ? kept_bytes(graph, plan) : llm::copied(plan, way);
    };
    const double kept = of(3, "", {}) - of(2, "", {});
    for (const Collective way : {Collective::to_host, Collective::from_host}) {
      const std::string offload = "; offload=activations";
      EXPECT_EQ(of(3, offload, way) - of(2, offload, way), kept);
    }
    ++compared;
  }
  EXPECT_EQ(compared, 10);
}

/// A row of the same network that has its sizes.
Json shape_of(const Json& row) {
  for (const Json& scheme : rows_with("scheme")) {
    if (scheme.at("model") == row.at("model")) return scheme;
  }
  throw std::runtime_error(row.dump());
}

TEST(LlmActivations, MatricesHaveThePaper18BytesOfAParameter) {
  int compared = 0;
  for (const Json& row : rows_about("parameters and optimizer")) {
    SCOPED_TRACE(row.dump());
    const Json shape = shape_of(row);
    const auto state = [&](std::int64_t layers) {
      const Graph graph = build(gpt_of(shape, layers));
      const Plan plan =
          plan_of(graph, "tensor:" + shape.at("tensor").dump(), training_of(1, {4, {}, {}}));
      const Footprint memory = footprint(graph, plan, llm::cluster_of(1));
      double vectors = 0;
      for (LayerId id = 0; id < graph.size(); ++id) {
        if (graph[id].reduction == 0) vectors += static_cast<double>(plan.pieces[id].weights);
      }
      return (memory.of(MemoryUse::weights) + memory.of(MemoryUse::gradients) +
              memory.of(MemoryUse::optimizer))
                 .value -
             18 * vectors;
    };
    const double of_a_block = state(2) - state(1);
    const double blocks = shape.at("layers").get<double>() / shape.at("pipeline").get<double>();
    EXPECT_EQ(of_a_block * blocks / kGiB, row.at("GiB").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

/// Of all products in a step on one rank that holds everything.
double products(const Json& shape, const Json& row, const std::string& recompute) {
  Gpt gpt = gpt_of(shape, shape.at("layers"));
  gpt.vocabulary = row.at("vocab");
  const Graph graph = build(gpt);
  const Training training = training_of(row.at("batch"));
  const Plan plan = plan_of(graph, "serial; recompute=" + recompute, training);
  double flops = 0;
  for (const Item& item : plan.stages.front().items) {
    const auto* work = std::get_if<Work>(&item.what);
    if (work == nullptr || work->layer == kAllLayers || graph[work->layer].reduction == 0) continue;
    if (work->pass == Pass::gradient_sum) continue;
    flops += demand(graph[work->layer], plan.pieces[work->layer], work->pass, training).flops.value;
  }
  return flops;
}

TEST(LlmActivations, ProductsOfAStepAreThoseOfTheLiterature) {
  int compared = 0;
  for (const Json& row : rows_about("FLOPs of a step")) {
    SCOPED_TRACE(row.dump());
    const Json shape = shape_of(row);
    const double none = products(shape, row, "none");
    const double full = products(shape, row, "full");
    const double selective = products(shape, row, "selective");
    const auto is = [&](const char* key, double flops) {
      EXPECT_NEAR(flops / row.at(key).get<double>(), 1, 1e-12) << key;
    };
    is("model_flops", none);
    is("hardware_flops_full_recompute", full);
    is("hardware_flops_selective_two_attention_products_again", 2 * selective - none);
    const auto percent = [&](double flops, const char* seconds) {
      const double peak = 312e12 * row.at("gpus").get<double>();
      return std::round(1e4 * flops / row.at(seconds).get<double>() / peak) / 100;
    };
    EXPECT_EQ(percent(none, "seconds_selective"), row.at("mfu_percent").get<double>());
    EXPECT_EQ(percent(full, "seconds_full"), row.at("hfu_full_percent").get<double>());
    EXPECT_EQ(percent(2 * selective - none, "seconds_selective"),
              row.at("hfu_percent_counted").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

/// Where the loss is made in fp32, at the turn from forward to backward.
TEST(LlmActivations, LogitsAreThoseOfTheLiterature) {
  int compared = 0;
  for (const Json& row : rows_about("logits")) {
    SCOPED_TRACE(row.dump());
    Gpt gpt{1024, 8, 1, row.at("tokens"), row.at("vocab"), true};
    const Graph graph = build(gpt);
    Training training = training_of(1);
    training.framework.fp32_loss = true;
    const Plan plan = plan_of(graph, "tensor:" + row.at("tensor").dump(), training);
    const auto head = static_cast<LayerId>(graph.size() - 2);
    const Stage& stage = plan.stages.front();
    const auto logits =
        std::find_if(stage.tensors.begin(), stage.tensors.end(), [&](const PlanTensor& tensor) {
          return tensor.layer == head && tensor.role == Role::activation;
        });
    const Liveness alive = liveness(graph, plan, 0);
    const auto turn =
        std::find_if(alive.points.begin(), alive.points.end(), [&](const LivePoint& point) {
          return point.layer == head + 1 && point.pass == Pass::backward_data;
        });
    EXPECT_EQ(logits->bytes.value / kGiB, row.at("bf16_GiB").get<double>());
    EXPECT_EQ(alive.kept_scores.value / kGiB, row.at("fp32_GiB").get<double>());
    EXPECT_EQ((logits->bytes + turn->scores).value / kGiB,
              row.at("unfused_peak_GiB (bf16 logits + fp32 copy + fp32 gradient)").get<double>());
    ++compared;
  }
  EXPECT_EQ(compared, 4);
}

}  // namespace llm_activations_test
}  // namespace oracle
