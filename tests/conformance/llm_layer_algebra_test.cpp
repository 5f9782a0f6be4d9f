// Operators of eight blocks: parameters, FLOPs of the three passes, least bytes and saved tensors,
// against figures counted by hand for each of them.
//
// Every row is compared, and every layer belongs to a row or to kWithoutRow. Where the reference
// counts by another convention than ours, the difference is a row of kConventions, and what is left
// agrees exactly.

#include <algorithm>
#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "oracle/cost/compute/kernel.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/data_path.h"
#include "oracle/io/models/transformers/config_reader.h"
#include "oracle/memory/liveness.h"
#include "oracle/plan/plan.h"

namespace oracle {
namespace llm_layer_algebra_test {

using Json = nlohmann::json;
using transformers::Architecture;

constexpr std::array kPasses = {Pass::forward, Pass::backward_data, Pass::backward_weights};
constexpr double kBytes = 2;  ///< of an element, in 16 bits

/// What one operator does for all samples.
struct Figures {
  std::array<double, 3> flops{};
  double forward_bytes = 0, backward_bytes = 0, saved_bytes = 0;
};

Figures& operator+=(Figures& sum, const Figures& other) {
  for (std::size_t i = 0; i < sum.flops.size(); ++i) sum.flops[i] += other.flops[i];
  sum.forward_bytes += other.forward_bytes;
  sum.backward_bytes += other.backward_bytes;
  sum.saved_bytes += other.saved_bytes;
  return sum;
}

// --- Conventions

/// Elements of a layer's tensors of all samples, and of its weights.
struct Sizes {
  double x = 0, y = 0, weights = 0, extra_weights = 0, positions = 0;
};

Sizes sizes_of(const Layer& layer, std::int64_t samples) {
  const auto count = static_cast<double>(samples);
  Sizes sizes{count * static_cast<double>(layer.input.elements()),
              count * static_cast<double>(layer.output.elements()), 0, 0,
              count * static_cast<double>(layer.output.positions())};
  for (const Weight& weight : layer.weights) {
    sizes.weights += static_cast<double>(weight.elements);
    if (weight.name != "weight") sizes.extra_weights += static_cast<double>(weight.elements);
  }
  return sizes;
}

/// How much more we count for a layer of a kind than the reference does, and why.
struct Convention {
  const char* kind;
  const char* why;
  Figures (*more)(const Layer& layer, const Sizes& sizes);
};

/// Operations on each element, by pass: the reference counts those of products alone.
Figures operations(double elements, double forward, double data, double weights) {
  return {{forward * elements, data * elements, weights * elements}};
}

const Convention kConventions[] = {
    {"dense", "the bias is added, summed up, and read or written in each pass",
     [](const Layer&, const Sizes& of) {
       const double biased = of.extra_weights > 0 ? of.y : 0;
       Figures more = operations(biased, 1, 0, 1);
       more.forward_bytes = kBytes * of.extra_weights;
       more.backward_bytes = 2 * kBytes * of.extra_weights;
       return more;
     }},
    {"layer_norm",
     "statistics are computed again and not saved; sums for the weights are a pass of their own "
     "over input and gradient; weights are read and written",
     [](const Layer&, const Sizes& of) {
       Figures more = operations(of.y, 5, 9, 4);
       more.forward_bytes = kBytes * of.weights;
       more.backward_bytes = kBytes * (2 * of.x + 2 * of.weights);
       more.saved_bytes = -8 * of.positions;
       return more;
     }},
    {"rms_norm", "as a layer norm's, of one statistic",
     [](const Layer&, const Sizes& of) {
       Figures more = operations(of.y, 4, 7, 3);
       more.forward_bytes = kBytes * of.weights;
       more.backward_bytes = kBytes * (2 * of.x + 2 * of.weights);
       more.saved_bytes = -4 * of.positions;
       return more;
     }},
    {"embedding",
     "token numbers are read and have 4 bytes, not 8; the gradient of the table is dense: all of "
     "it "
     "is written, and not the rows that were read",
     [](const Layer&, const Sizes& of) {
       Figures more = operations(of.y, 0, 0, 1);
       more.forward_bytes = kBytes * of.x;
       more.backward_bytes = kBytes * (of.x + of.weights - of.y);
       more.saved_bytes = -4 * of.x;
       return more;
     }},
    {"attention", "logarithms of the sums are saved, and their traffic is not counted",
     [](const Layer& layer, const Sizes& of) {
       const double logarithms = layer.mask_bytes_per_output * of.y;
       return Figures{{}, -logarithms, -logarithms, 0};
     }},
    {"matmul",
     "each of the two products of backward reads the gradient; what a dropout makes is saved for "
     "the product that reads it",
     [](const Layer& layer, const Sizes& of) {
       return Figures{{}, 0, kBytes * of.y, layer.turned ? kBytes * of.x : 0};
     }},
    {"softmax", "operations on elements",
     [](const Layer&, const Sizes& of) { return operations(of.y, 5, 4, 0); }},
    {"dropout", "the traffic of the mask is not counted; its output is its reader's to save",
     [](const Layer& layer, const Sizes& of) {
       Figures more = operations(of.y, 2, 1, 0);
       more.forward_bytes = more.backward_bytes = -of.y;
       if (layer.name == "layers.0.attention_dropout") more.saved_bytes = -kBytes * of.y;
       return more;
     }},
    {"activation", "operations on elements",
     [](const Layer&, const Sizes& of) { return operations(of.y, 5, 9, 0); }},
    {"gate", "operations on elements",
     [](const Layer&, const Sizes& of) { return operations(of.y, 5, 9, 0); }},
    {"add", "operations on elements",
     [](const Layer&, const Sizes& of) { return operations(of.y, 1, 0, 0); }},
    {"rotary", "features of a head that are not turned are read and written, too",
     [](const Layer& layer, const Sizes& of) {
       const double turned = static_cast<double>(layer.heads.turned * layer.groups) * of.positions;
       Figures more = operations(turned, 3, 3, 0);
       more.forward_bytes = more.backward_bytes = 2 * kBytes * (of.y - turned);
       return more;
     }},
    {"dispatch", "each token is read once, however many rows it makes",
     [](const Layer&, const Sizes& of) {
       Figures more = operations(of.y, 0, 1, 0);
       more.forward_bytes = more.backward_bytes = kBytes * (of.x - of.y);
       return more;
     }},
    {"combine", "the router's weights are saved by the softmax that makes them",
     [](const Layer& layer, const Sizes& of) {
       const double rows = of.positions * static_cast<double>(layer.input.positions()) /
                           static_cast<double>(layer.output.positions());
       Figures more = operations(of.x, 2, 4, 0);
       more.saved_bytes = -4 * rows;
       return more;
     }},
    {"expert_dense", "none", [](const Layer&, const Sizes&) { return Figures{}; }},
    {"softmax_loss", "the scores are saved in 16 bits, not their softmax in 32; a loss is written",
     [](const Layer&, const Sizes& of) {
       Figures more = operations(of.x, 4, 5, 0);
       more.forward_bytes = more.backward_bytes = kBytes * of.y;
       more.saved_bytes = -kBytes * of.x;
       return more;
     }},
};

const Convention& convention_of(const Layer& layer) {
  const auto found = std::find_if(
      std::begin(kConventions), std::end(kConventions),
      [&](const Convention& one) { return layer.kind->name == std::string_view(one.kind); });
  if (found == std::end(kConventions)) throw std::out_of_range(layer.name);
  return *found;
}

/// Products of one input (q, k and v; gate and up) are one of the reference's: it reads that once.
Figures read_again(const Graph& graph, const std::vector<LayerId>& layers, std::int64_t samples) {
  Figures more;
  std::set<LayerId> read;
  for (const LayerId id : layers) {
    const Layer& layer = graph[id];
    if (layer.reduction == 0 || layer.heads.keys > 0) continue;
    if (read.insert(layer.inputs.front()).second) continue;
    const double bytes = kBytes * sizes_of(layer, samples).x;
    more += {{}, bytes, 2 * bytes, 0};
  }
  return more;
}

// --- Blocks

/// Layers of each operator, without the prefix of the block.
struct Operator {
  std::string_view name;
  std::vector<const char*> layers;
};

const Operator kOperators[] = {
    {"norm 1", {"norm1"}},
    {"qkv", {"q", "k", "v"}},
    {"q down", {"q_down"}},
    {"q latent norm", {"q_norm"}},
    {"q up", {"q"}},
    {"kv down, and the shared rotary key", {"kv_down", "k_shared"}},
    {"kv latent norm", {"kv_norm"}},
    {"kv up", {"k", "v"}},
    {"rotary positions", {"q_rotary", "k_rotary"}},
    {"attention, fused", {"attention"}},
    {"attention scores, all pairs", {"pairs"}},
    {"softmax", {"shares"}},
    {"attention dropout", {"attention_dropout"}},
    {"attention over values, all pairs", {"mixed"}},
    {"output projection", {"o"}},
    {"dropout after attention", {"o_dropout"}},
    {"residual add 1", {"sum1"}},
    {"norm 2", {"norm2"}},
    {"first mlp matrix", {"up"}},
    {"gelu", {"act"}},
    {"second mlp matrix", {"down"}},
    {"dropout after mlp", {"down_dropout"}},
    {"gate and up", {"gate", "up"}},
    {"swiglu", {"act"}},
    {"down", {"down"}},
    {"router", {"router"}},
    {"permute to experts", {"dispatch"}},
    {"experts: gate and up", {"experts.gate", "experts.up"}},
    {"experts: swiglu", {"experts.act"}},
    {"experts: down", {"experts.down"}},
    {"combine, weighted by the router", {"combine"}},
    {"shared experts: gate and up", {"shared.gate", "shared.up"}},
    {"shared experts: swiglu", {"shared.act"}},
    {"shared experts: down", {"shared.down"}},
    {"residual add 2", {"sum2"}},
};

const Operator kOutside[] = {
    {"embedding (whole network, once)", {"embed"}},
    {"logits (whole network, once)", {"head"}},
    {"cross entropy (whole network, once)", {"loss"}},
};

/// Layers that the reference does not list: the last norm, the router's softmax, the copy of keys
/// for each head, the sum of routed and shared experts.
const std::set<std::string> kWithoutRow = {"input", "norm", "layers.0.scores", "layers.0.k_joined",
                                           "layers.0.experts.sum"};

Architecture of_model(const char* name) {
  return transformers::read_architecture(json::read(resolve("model", "models", name)));
}

/// Mistral 7B v0.1 has the sizes of a block of Llama 3 8B.
Architecture mistral() {
  Architecture of = of_model("llama3_8b");
  of.vocabulary = 32'000;
  of.window = {4096};
  return of;
}

/// One block. Norms of heads, the router's correction and learned positions have no row, and the
/// head has parameters of its own.
Architecture one_block(Architecture of) {
  of.layers = 1;
  of.positions = 0;
  of.tied = of.experts.correction = false;
  of.head_norms = transformers::HeadNorms::none;
  if (of.experts.count > 0) of.experts.in_layer = {true};
  return of;
}

/// GPT-3's block with all scores written out and dropout after each part.
Graph unfused(const Architecture& of, std::int64_t sequence) {
  GraphBuilder graph("unfused");
  std::string prefix;
  const auto add = [&](const char* name, const char* kind, std::vector<LayerId> inputs,
                       const Attributes& attributes = {}) {
    return graph.add(prefix + name, kind, std::move(inputs), attributes);
  };
  const auto dense = [&](const char* name, LayerId input, std::int64_t features) {
    return add(name, "dense", {input}, {{"features", features}});
  };
  Shape text;
  text[Axis::sequence] = sequence;
  LayerId at = add("embed", "embedding", {graph.input(text)},
                   {{"entries", of.vocabulary}, {"features", of.hidden}});
  prefix = "layers.0.";
  const LayerId first = add("norm1", "layer_norm", {at});
  const LayerId q = dense("q", first, of.hidden), k = dense("k", first, of.hidden),
                v = dense("v", first, of.hidden);
  LayerId made =
      add("pairs", "matmul", {q, k}, {{"features", of.heads * sequence}, {"groups", of.heads}});
  made = add("shares", "softmax", {made}, {{"groups", of.heads}});
  made = add("attention_dropout", "dropout", {made});
  made = add("mixed", "matmul", {made, v},
             {{"features", of.hidden}, {"groups", of.heads}, {"turned", true}});
  at = add("sum1", "add", {at, add("o_dropout", "dropout", {dense("o", made, of.hidden)})});
  made = dense("up", add("norm2", "layer_norm", {at}), of.ffn);
  made = add("act", "activation", {made}, {{"function", std::string("gelu")}});
  made = add("down_dropout", "dropout", {dense("down", made, of.hidden)});
  at = add("sum2", "add", {at, made});
  prefix.clear();
  at = add("head", "dense", {add("norm", "layer_norm", {at})},
           {{"features", of.vocabulary}, {"bias", false}});
  add("loss", "softmax_loss", {at});
  return graph.finish();
}

Graph fused(const Architecture& of, std::int64_t sequence) {
  return build(one_block(of), "fused", sequence);
}

struct Block {
  std::string_view name;
  std::int64_t tokens, sequence;
  std::size_t rows;
  Graph (*graph)(std::int64_t sequence);
};

const Block kBlocks[] = {
    {"gpt3-175b, unfused, dropout", 2048, 2048, 18,
     [](std::int64_t s) { return unfused(of_model("gpt3_175b"), s); }},
    {"gpt3-175b, fused", 2048, 2048, 13,
     [](std::int64_t s) { return fused(of_model("gpt3_175b"), s); }},
    {"gpt2-xl, fused", 4096, 1024, 13,
     [](std::int64_t s) { return fused(of_model("gpt2_xl"), s); }},
    {"llama-3.1-8b", 8192, 8192, 14,
     [](std::int64_t s) { return fused(of_model("llama3_8b"), s); }},
    {"mistral-7b-v0.1, window 4096", 8192, 8192, 14,
     [](std::int64_t s) { return fused(mistral(), s); }},
    {"mixtral-8x7b, dropless, balanced", 4096, 4096, 17,
     [](std::int64_t s) { return fused(of_model("mixtral_8x7b"), s); }},
    {"qwen3-30b-a3b, dropless, balanced", 4096, 4096, 17,
     [](std::int64_t s) { return fused(of_model("qwen3_30b_a3b"), s); }},
    {"deepseek-v3, dropless, balanced", 4096, 4096, 25,
     [](std::int64_t s) { return fused(of_model("deepseek_v3"), s); }},
};

// --- Our figures

/// A block on one device, and what its plan has for each layer.
struct Counted {
  explicit Counted(const Block& block)
      : graph(block.graph(block.sequence)), samples(block.tokens / block.sequence) {
    training.batch = samples;
    training.precision = precision_named("bf16");
    const Cluster cluster = load_cluster("2x1xh100-sxm5-80gb,net=50GB/s");
    plan = std::get<Plan>(partition(graph, parse_strategy("serial"), training, cluster));
    for (LayerId id = 0; id < graph.size(); ++id) by_name[graph[id].name] = id;
    count_saved();
  }

  /// Of a tensor that several passes of backward read, the first layer saves it.
  void count_saved() {
    saved.assign(graph.size(), 0);
    const Stage& stage = plan.stages.front();
    std::map<TensorId, LayerId> savers;
    for (std::uint32_t i = stage.backward_begin; i < stage.backward_end.items; ++i) {
      const Work* work = std::get_if<Work>(&stage.items[i].what);
      if (work == nullptr) continue;
      for (const TensorId id : stage.reads_of(stage.items[i])) {
        const Role role = stage.tensors[id].role;
        if (role != Role::activation && role != Role::mask) continue;
        const auto [saver, added] = savers.try_emplace(id, work->layer);
        saver->second = std::min(saver->second, work->layer);
      }
    }
    for (const auto& [id, layer] : savers) saved[layer] += stage.tensors[id].bytes.value;
  }

  Figures of(LayerId id) const {
    const Layer& layer = graph[id];
    Figures figures;
    std::array<double, 3> bytes{};
    for (std::size_t i = 0; i < kPasses.size(); ++i) {
      figures.flops[i] = static_cast<double>(samples) * layer.flops(kPasses[i]);
      if (kPasses[i] == Pass::backward_weights && !layer.trainable()) continue;
      bytes[i] = demand(layer, plan.pieces[id], kPasses[i], training).traffic.value;
    }
    figures.forward_bytes = bytes[0];
    figures.backward_bytes = bytes[1] + bytes[2];
    figures.saved_bytes = saved[id];
    return figures;
  }

  Graph graph;
  std::int64_t samples;
  Training training;
  Plan plan;
  std::map<std::string, LayerId> by_name;
  std::vector<double> saved;  ///< by layer, bytes
};

std::vector<LayerId> layers_of(const Counted& counted, const std::string& op) {
  std::vector<LayerId> layers;
  const auto collect = [&](const auto& operators, const std::string& prefix) {
    for (const Operator& one : operators) {
      if (one.name != op) continue;
      for (const char* layer : one.layers) layers.push_back(counted.by_name.at(prefix + layer));
    }
  };
  collect(kOperators, "layers.0.");
  collect(kOutside, "");
  return layers;
}

void expect_row(const Counted& counted, const std::vector<LayerId>& layers, const Json& row) {
  Figures ours, more = read_again(counted.graph, layers, counted.samples);
  std::int64_t parameters = 0;
  for (const LayerId id : layers) {
    const Layer& layer = counted.graph[id];
    parameters += layer.parameters();
    ours += counted.of(id);
    more += convention_of(layer).more(layer, sizes_of(layer, counted.samples));
  }
  EXPECT_EQ(parameters, row.at("parameters").get<std::int64_t>());
  EXPECT_EQ(ours.flops[0] - more.flops[0], row.at("forward_flops").get<double>());
  EXPECT_EQ(ours.flops[1] - more.flops[1], row.at("backward_data_flops").get<double>());
  EXPECT_EQ(ours.flops[2] - more.flops[2], row.at("backward_weight_flops").get<double>());
  EXPECT_EQ(ours.forward_bytes - more.forward_bytes, row.at("forward_bytes").get<double>());
  EXPECT_EQ(ours.backward_bytes - more.backward_bytes, row.at("backward_bytes").get<double>());
  EXPECT_EQ(ours.saved_bytes - more.saved_bytes, row.at("saved_bytes").get<double>());
}

std::map<std::string, std::vector<Json>> rows_by_block() {
  std::ifstream file(std::string(ORACLE_SOURCE_DIR) +
                     "/tests/conformance/data/llm_layer_algebra.jsonl");
  std::map<std::string, std::vector<Json>> rows;
  for (std::string line; std::getline(file, line);) {
    Json row = Json::parse(line);
    rows[row.at("block")].push_back(std::move(row));
  }
  return rows;
}

TEST(LlmLayerAlgebra, IsThatOfTheReference) {
  const auto rows = rows_by_block();
  EXPECT_EQ(rows.size(), std::size(kBlocks));
  for (const Block& block : kBlocks) {
    const std::vector<Json>& own = rows.at(std::string(block.name));
    EXPECT_EQ(own.size(), block.rows);
    const Counted counted(block);
    std::set<std::string> left(kWithoutRow);
    for (const Json& row : own) {
      const std::string op = row.at("op");
      SCOPED_TRACE(std::string(block.name) + ": " + op);
      const std::vector<LayerId> layers = layers_of(counted, op);
      ASSERT_FALSE(layers.empty());
      expect_row(counted, layers, row);
      for (const LayerId id : layers) {
        EXPECT_TRUE(left.insert(counted.graph[id].name).second) << "a layer in two rows";
      }
    }
    for (const Layer& layer : counted.graph.layers) EXPECT_TRUE(left.contains(layer.name));
  }
}

// What the rows of a block save is what outlives its forward pass, but for layers without a row.
TEST(LlmLayerAlgebra, SavesWhatOutlivesForward) {
  for (const Block& block : kBlocks) {
    SCOPED_TRACE(block.name);
    const Counted counted(block);
    double saved = 0;
    for (const double bytes : counted.saved) saved += bytes;
    EXPECT_EQ(saved, liveness(counted.graph, counted.plan, 0).kept.value);
  }
}

}  // namespace llm_layer_algebra_test
}  // namespace oracle
