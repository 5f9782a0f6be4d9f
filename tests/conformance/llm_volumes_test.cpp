// What transformers send, by way of cutting them, against closed forms of the literature.
//
// Compared are the bytes that one rank sends in a step, by operation and ranks of the group: how
// they are packed into messages is a matter of units and buckets.

#include <array>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/models/transformers/architecture.h"
#include "oracle/plan/plan.h"

namespace oracle {
namespace llm_volumes_test {

using Json = nlohmann::json;
using transformers::Architecture;

/// By operation and members of the group.
using Volumes = std::map<std::pair<std::string, std::int64_t>, double>;

Architecture architecture_of(const Json& config) {
  Architecture of;
  of.hidden = config.at("hidden");
  of.layers = config.value("layers", config.value("moe_layers", 1));
  of.heads = config.value("heads", 1);
  of.kv_heads = config.value("kv_heads", of.heads);
  of.head_size = config.value("head_dim", of.hidden / of.heads);
  of.ffn = config.value("ffn", 64);
  of.vocabulary = config.value("vocab", 64);
  of.gated = config.contains("kv_heads");
  of.rms = of.gated;
  if (of.gated) of.activation = "silu";
  of.query_bias = of.output_bias = of.mlp_bias = !of.gated;
  if (!config.contains("experts")) return of;
  of.experts.count = config.at("experts");
  of.experts.per_token = config.at("top_k");
  of.experts.features = 64;
  of.experts.in_layer.assign(static_cast<std::size_t>(of.layers), true);
  return of;
}

/// Enough of everything: only volumes are asked for.
Cluster cluster_for(std::int64_t ranks) {
  return load_cluster(std::to_string(ranks) + "x1xh100-sxm5-80gb,net=50GB/s");
}

Plan plan_of(const Graph& graph, const std::string& strategy, std::int64_t batch,
             const char* precision = "bf16", const StateFormats& state = {}) {
  Training training;
  training.batch = batch;
  training.precision = precision_named(precision);
  training.state = state;
  training.run_by({});
  const Strategy parsed = parse_strategy(strategy);
  auto made = partition(graph, parsed, training, cluster_for(parsed.ranks()));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

std::string operation_of(const Transfer& transfer) {
  std::string name(name_of(transfer.collective));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

/// Of the stage's items for which `wanted` holds, over all micro-batches.
Volumes volumes_of(const Plan& plan, const Stage& stage,
                   const std::function<bool(const Transfer&)>& wanted) {
  Volumes volumes;
  for (const Item& item : stage.items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || !wanted(*transfer)) continue;
    const bool once = item.phase == Phase::exchange || item.phase == Phase::update;
    const std::int64_t members = plan.group_size(transfer->axes);
    const double times = once ? 1 : static_cast<double>(plan.strategy.micro_batches);
    volumes[{operation_of(*transfer), members}] += times * sent_bytes(*transfer, members).value;
  }
  return volumes;
}

Volumes volumes_of(const Json& row) {
  Volumes volumes;
  for (const Json& transfer : row.at("transfers")) {
    volumes[{transfer.at("op"), transfer.at("group")}] +=
        transfer.at("wire_bytes_total").get<double>();
  }
  return volumes;
}

void expect_equal(const Volumes& derived, const Volumes& stated) {
  ASSERT_EQ(derived.size(), stated.size());
  for (const auto& [key, bytes] : stated) {
    ASSERT_TRUE(derived.contains(key)) << key.first << " of " << key.second;
    EXPECT_NEAR(derived.at(key), bytes, 1e-9 * bytes) << key.first << " of " << key.second;
  }
}

bool is_activation(const Transfer& transfer) {
  return transfer.payload != Payload::weight_gradient && transfer.payload != Payload::weight;
}
bool is_of_weights(const Transfer& transfer) { return !is_activation(transfer); }
bool is_to_all(const Transfer& transfer) { return transfer.collective == Collective::all_to_all; }

/// Tensor parallelism, with positions in parts or not, and recomputation.
void check_tensor(const Json& row, const Json& config) {
  const bool in_parts = config.at("sequence_parallel");
  std::string strategy = in_parts ? "tensor_sequence:" : "tensor:";
  strategy += std::to_string(config.at("tensor").get<int>());
  strategy += "; micro_batches=" + std::to_string(config.value("micro_batches", 1));
  if (in_parts && !config.value("keep_gathered_input", false)) strategy += "; regather=on";
  if (config.value("recompute", "none") == "full") strategy += "; recompute=full";
  const Graph graph = build(architecture_of(config), "cut", config.at("seq"));
  const Plan plan = plan_of(graph, strategy, config.value("micro_batches", 1));
  Volumes stated = volumes_of(row);
  if (config.value("recompute", "none") == "full") {
    // The row runs all of a block again, the plan what backward reads: not the sum that ends it.
    const auto& again = row.at("transfers")[1];
    stated[{again.at("op"), again.at("group")}] -= again.at("wire_bytes_total").get<double>() / 2;
  }
  expect_equal(volumes_of(plan, plan.stages.front(), is_activation), stated);
}

void check_norms(const Json& row, const Json& config) {
  const Graph graph = build(architecture_of(config), "cut", config.at("seq"));
  const Plan plan = plan_of(graph, "tensor_sequence:8", 1, "fp32");
  Volumes stated = volumes_of(row);
  // Of a cut of the input features the row has a bias on each rank, the plan on one.
  const double biases = 2 * config.at("layers").get<double>() * config.at("hidden").get<double>();
  stated.begin()->second -= 4 * biases * 2 * 7 / 8;
  expect_equal(volumes_of(plan, plan.stages.front(), is_of_weights), stated);
}

void check_context(const Json& row, const Json& config) {
  const Graph graph = build(architecture_of(config), "cut", config.at("seq"));
  const std::string degree = std::to_string(config.at("context").get<int>());
  const std::string kind = config.at("kind");
  const std::string axis = kind == "gather" ? "context" : kind;
  const Plan plan = plan_of(graph, axis + ':' + degree + "; regather=on", 1);
  expect_equal(volumes_of(plan, plan.stages.front(), is_activation), volumes_of(row));
}

void check_experts(const Json& row, const Json& config) {
  const std::int64_t degree = config.at("expert");
  const Graph graph = build(architecture_of(config), "cut", config.at("tokens_per_rank"));
  const bool in_blocks = config.at("dispatch_bytes").is_string();  // with their scales
  const Plan plan =
      plan_of(graph, "expert:" + std::to_string(degree), degree, in_blocks ? "fp8_block" : "bf16");
  expect_equal(volumes_of(plan, plan.stages.front(), is_to_all), volumes_of(row));
}

/// What crosses between groups, in rows for each token.
void check_groups(const Json& row, const Json& config) {
  const std::int64_t groups = config.at("groups"), each = config.at("experts_per_group");
  Json with = config;
  with["experts"] = groups * each;
  with["hidden"] = 64;
  with["layers"] = 1;
  constexpr std::int64_t kTokens = 128;
  const Graph graph = build(architecture_of(with), "cut", kTokens);
  std::string strategy = "expert:" + std::to_string(groups);
  if (each > 1) strategy += ",expert:" + std::to_string(each);
  const Plan plan = plan_of(graph, strategy + "; token_groups=all", groups * each);
  int hops = 0;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer == nullptr || !is_to_all(*transfer) || transfer->axes != 1) continue;
    EXPECT_NEAR(transfer->bytes.value / (2 * 64 * kTokens),
                row.at("expected_distinct_groups").get<double>(), 1e-9);
    ++hops;
  }
  EXPECT_EQ(hops, 4) << "there and back, in both directions";
}

/// How a row's way to share state is asked for.
std::string options_of_state(const Json& config) {
  if (config.contains("shard")) return "; zero=3; shard=" + config.at("shard").dump();
  const std::string kind = config.at("kind");
  if (kind == "fsdp_keep") return "; zero=3; reshard=off";
  if (kind == "fsdp_no_sync") return "; zero=3; sync=step";
  return kind.starts_with("zero") ? "; zero=" + kind.substr(4) : "";
}

Graph llama() {
  Architecture of;
  of.hidden = 4096;
  of.layers = 32;
  of.heads = 32;
  of.kv_heads = 8;
  of.head_size = 128;
  of.ffn = 14336;
  of.vocabulary = 128256;
  of.rms = of.gated = true;
  of.activation = "silu";
  return build(of, "llama", 128);
}

/// So many parameters of linears alone, as rows have them that gather all in fp8; of the network
/// itself embedding, head and norms keep 16 bits (tests/plan/narrow_formats_test.cpp).
Graph one_linear(std::int64_t parameters) {
  GraphBuilder builder("linear");
  Shape values;
  values[Axis::channel] = 64;
  const LayerId linear = builder.add("linear", "dense", {builder.input(values)},
                                     {{"features", parameters / 64}, {"bias", false}});
  builder.add("loss", "softmax_loss", {builder.add("sum", "add", {linear, linear})});
  return builder.finish();
}

void check_state(const Json& row, const Json& config) {
  const std::int64_t replicas = config.value("replicate", 1),
                     micro_batches = config.at("micro_batches");
  const std::int64_t data = config.contains("data")
                                ? config.at("data").get<std::int64_t>()
                                : replicas * config.at("shard").get<std::int64_t>();
  std::string strategy = "data:" + std::to_string(data);
  strategy += "; micro_batches=" + std::to_string(micro_batches) + options_of_state(config);
  const bool in_fp8 = config.at("parameter_bytes").get<int>() == 1;
  const Graph graph = in_fp8 ? one_linear(config.at("parameters")) : llama();
  ASSERT_EQ(graph.parameters(), config.at("parameters").get<std::int64_t>());
  const Plan plan = plan_of(graph, strategy, data * micro_batches, in_fp8 ? "fp8" : "bf16",
                            {config.at("gradient_bytes").get<int>(), {}, {}});
  expect_equal(volumes_of(plan, plan.stages.front(), is_of_weights), volumes_of(row));
}

/// Messages between stages; the row says what the first, those between and the last send.
void check_pipeline(const Json& row, const Json& config) {
  Architecture of = architecture_of(config);
  const int chunks = config.at("chunks"), micro_batches = config.at("micro_batches");
  of.layers = 8 * chunks;  // as good as 96: what crosses is one tensor
  of.vocabulary = 64;      // so that each stage is a block
  of.heads = of.kv_heads = of.hidden / 128;
  of.head_size = 128;
  of.ffn = 4 * of.hidden;
  const Graph graph = build(of, "cut", config.at("seq"));
  const bool in_parts = config.at("sequence_parallel");
  const Plan plan = plan_of(graph,
                            std::string("pipeline:8,") + (in_parts ? "tensor_sequence" : "tensor") +
                                ":8; micro_batches=" + std::to_string(micro_batches) +
                                "; chunks=" + std::to_string(chunks),
                            micro_batches);
  for (std::size_t s = 0; s + 1 < plan.stages.size(); ++s) {
    ASSERT_EQ(plan.stages[s].to_next.size(), 1U) << s;
    ASSERT_EQ(plan.stages[s].from_next.size(), 1U) << s;
    EXPECT_EQ(plan.stages[s].to_next.front().bytes.value, row.at("bytes_per_send").get<double>());
    EXPECT_EQ(plan.stages[s].from_next.front().bytes.value, row.at("bytes_per_send").get<double>());
  }
  constexpr std::array<std::pair<const char*, std::size_t>, 3> kRanks = {
      {{"first", 0}, {"middle", 3}, {"last", 7}}};
  for (const auto& [name, rank] : kRanks) {
    std::size_t forward = 0, backward = 0;
    for (std::size_t s = rank; s < plan.stages.size(); s += 8) {
      forward += plan.stages[s].to_next.size();
      backward += s == 0 ? 0 : plan.stages[s - 1].from_next.size();
    }
    const auto times = static_cast<std::size_t>(micro_batches);
    EXPECT_EQ(forward * times, row.at("forward_sends").at(name).get<std::size_t>());
    EXPECT_EQ(backward * times, row.at("backward_sends").at(name).get<std::size_t>());
  }
}

void check_tied(const Json& row, const Json& config) {
  Architecture of = architecture_of(config);
  of.tied = true;
  of.layers = 8;
  const Plan plan = plan_of(build(of, "cut", 128), "pipeline:8,tensor:8", 1, "fp32");
  ASSERT_EQ(plan.copies.size(), 1U);
  for (const Stage* stage : {&plan.stages.front(), &plan.stages.back()}) {
    ASSERT_EQ(stage->backward_end.copies.size(), 1U);
    EXPECT_EQ(stage->backward_end.copies.front().bytes.value,
              row.at("transfers")[0].at("buffer_bytes").get<double>());
  }
  EXPECT_TRUE(plan.stages[1].backward_end.copies.empty());
}

TEST(LlmVolumes, AreThoseOfTheLiterature) {
  std::ifstream file(std::string(ORACLE_SOURCE_DIR) +
                     "/tests/conformance/data/llm_communication_volumes.jsonl");
  int compared = 0;
  for (std::string line; std::getline(file, line);) {
    const Json row = Json::parse(line);
    const std::string name = row.at("case");
    SCOPED_TRACE(name);
    const Json& config = row.at("config");
    ++compared;
    if (name.ends_with("norm-gradients")) {
      check_norms(row, config);
    } else if (name.ends_with("tied-embedding")) {
      check_tied(row, config);
    } else if (config.contains("parameters")) {
      check_state(row, config);
    } else if (config.contains("groups")) {
      check_groups(row, config);
    } else if (config.contains("experts")) {
      check_experts(row, config);
    } else if (config.contains("context")) {
      check_context(row, config);
    } else if (config.value("pipeline", 1) > 1) {
      check_pipeline(row, config);
    } else {
      check_tensor(row, config);
    }
  }
  EXPECT_EQ(compared, 49);
}

}  // namespace llm_volumes_test
}  // namespace oracle
