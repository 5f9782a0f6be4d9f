#include "tests/conformance/llm_rows.h"

#include <fstream>
#include <stdexcept>

#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/memory/liveness.h"

namespace oracle::llm {
namespace {

class Writer {
 public:
  explicit Writer(const Gpt& gpt) : gpt_(gpt) {}

  Graph run() {
    Shape tokens;
    tokens[Axis::sequence] = gpt_.sequence;
    LayerId at = add("embed", "embedding", {graph_.input(tokens)},
                     {{"entries", gpt_.vocabulary}, {"features", gpt_.hidden}});
    for (std::int64_t i = 0; i < gpt_.layers; ++i) {
      prefix_ = "layers." + std::to_string(i) + ".";
      at = block(at);
    }
    prefix_.clear();
    at = add("norm", "layer_norm", {at});
    at = dense("head", at, gpt_.vocabulary);
    add("loss", "softmax_loss", {at});
    return graph_.finish();
  }

 private:
  LayerId add(const std::string& name, std::string_view kind, std::vector<LayerId> inputs,
              const Attributes& attributes = {}) {
    return graph_.add(prefix_ + name, kind, std::move(inputs), attributes);
  }
  LayerId dense(const std::string& name, LayerId input, std::int64_t features) {
    return add(name, "dense", {input}, {{"features", features}, {"bias", false}});
  }

  LayerId attention(LayerId q, LayerId k, LayerId v) {
    const std::int64_t heads = gpt_.heads;
    if (gpt_.fused) return add("attention", "attention", {q, k, v}, {{"heads", heads}});
    LayerId at =
        add("scores", "matmul", {q, k}, {{"features", heads * gpt_.sequence}, {"groups", heads}});
    at = add("softmax", "softmax", {at}, {{"groups", heads}});
    at = add("attention_dropout", "dropout", {at});
    return add("values", "matmul", {at, v},
               {{"features", gpt_.hidden}, {"groups", heads}, {"turned", true}});
  }

  LayerId block(LayerId at) {
    const std::int64_t h = gpt_.hidden;
    LayerId made = add("norm1", "layer_norm", {at});
    made = attention(dense("q", made, h), dense("k", made, h), dense("v", made, h));
    made = add("drop1", "dropout", {dense("o", made, h)});
    at = add("sum1", "add", {at, made});
    made = dense("up", add("norm2", "layer_norm", {at}), 4 * h);
    made = dense("down", add("act", "activation", {made}, {{"function", std::string("gelu")}}), h);
    return add("sum2", "add", {at, add("drop2", "dropout", {made})});
  }

  const Gpt& gpt_;
  GraphBuilder graph_{"gpt"};
  std::string prefix_;
};

}  // namespace

std::vector<Json> rows_of(const std::string& file) {
  std::ifstream stream(std::string(ORACLE_SOURCE_DIR) + "/tests/conformance/data/" + file);
  std::vector<Json> rows;
  for (std::string line; std::getline(stream, line);) rows.push_back(Json::parse(line));
  return rows;
}

Cluster cluster_of(std::int64_t ranks) {
  return load_cluster(std::to_string(ranks + 1) + "x1xh100-sxm5-80gb,net=50GB/s");
}

Plan plan_of(const Graph& graph, const std::string& text, const Training& training) {
  const Strategy strategy = parse_strategy(text);
  auto made = partition(graph, strategy, training, cluster_of(strategy.ranks()));
  if (const auto* refusal = std::get_if<Infeasible>(&made)) {
    throw std::runtime_error(to_text(*refusal));
  }
  return std::get<Plan>(std::move(made));
}

Training training_of(std::int64_t batch, const StateFormats& state) {
  Training training;
  training.batch = batch;
  training.precision = precision_named("bf16");
  training.optimizer = optimizer_named("adam");
  training.state = state;
  training.run_by({});
  return training;
}

double kept_bytes(const Graph& graph, const Plan& plan) {
  double tokens = 0;
  for (const PlanTensor& tensor : plan.stages.front().tensors) {
    if (tensor.layer == 0) tokens += tensor.bytes.value;
  }
  return liveness(graph, plan, 0).kept.value - tokens;
}

double copied(const Plan& plan, Collective way) {
  double bytes = 0;
  for (const Item& item : plan.stages.front().items) {
    const auto* transfer = std::get_if<Transfer>(&item.what);
    if (transfer != nullptr && transfer->collective == way) bytes += transfer->bytes.value;
  }
  return bytes;
}

Graph build(const Gpt& gpt) { return Writer(gpt).run(); }

}  // namespace oracle::llm
