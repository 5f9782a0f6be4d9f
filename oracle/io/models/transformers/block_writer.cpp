#include "oracle/io/models/transformers/block_writer.h"

namespace oracle::transformers {

void BlockWriter::begin_block(const std::string& stack, std::int64_t i) {
  prefix_ = stack + std::to_string(i) + ".";
  layer_ = static_cast<std::size_t>(i);
}

LayerId BlockWriter::add(const std::string& name, std::string_view kind,
                         std::vector<LayerId> inputs, const Attributes& attributes) {
  return graph_.add(prefix_ + name, kind, std::move(inputs), attributes);
}
LayerId BlockWriter::dense(const std::string& name, LayerId input, std::int64_t features,
                           bool bias) {
  return add(name, "dense", {input}, {{"features", features}, {"bias", bias}});
}
LayerId BlockWriter::norm(const std::string& name, LayerId input) {
  return add(name, of_.rms ? "rms_norm" : "layer_norm", {input});
}
LayerId BlockWriter::sum(const std::string& name, std::vector<LayerId> terms) {
  return add(name, "add", std::move(terms));
}

LayerId BlockWriter::dropout(const std::string& name, LayerId input, bool drops) {
  return drops ? add(name, "dropout", {input}) : input;
}

LayerId BlockWriter::block(LayerId at) {
  if (of_.parallel) return parallel_block(at);
  if (of_.norm_places == NormPlaces::sums) {
    at = norm("norm1", sum("sum1", {attend(at), at}));
    return norm("norm2", sum("sum2", {transform(at), at}));
  }
  const bool before = of_.norm_places != NormPlaces::after;
  const bool after = of_.norm_places != NormPlaces::before;
  LayerId made = attend(before ? norm("norm1", at) : at);
  if (after) made = norm("norm1_after", made);
  at = sum("sum1", {at, made});
  made = transform(before ? norm("norm2", at) : at);
  if (after) made = norm("norm2_after", made);
  return sum("sum2", {at, made});
}

LayerId BlockWriter::parallel_block(LayerId at) {
  const LayerId first = norm("norm1", at);
  const LayerId second = of_.one_norm ? first : norm("norm2", at);
  const LayerId attended = attend(first);
  return sum("sum", {at, attended, transform(second)});
}

LayerId BlockWriter::turned(const std::string& name, LayerId input, std::int64_t heads) {
  if (of_.head_norms != HeadNorms::none) {
    const std::int64_t groups = of_.head_norms == HeadNorms::each ? heads : 1;
    input = add(name + "_norm", "rms_norm", {input}, {{"groups", groups}});
  }
  const bool stays = layer_ < of_.unturned.size() && of_.unturned[layer_];
  if (of_.rotary == 0 || stays) return input;
  return add(name + "_rotary", "rotary", {input}, {{"heads", heads}, {"features", of_.rotary}});
}

Attributes BlockWriter::attention(std::int64_t kv_heads, std::int64_t within) const {
  Attributes attributes{{"heads", of_.heads}};
  if (kv_heads != of_.heads) attributes.set("kv_heads", kv_heads);
  if (of_.causal) attributes.set("causal", true);
  if (layer_ < of_.window.size() && of_.window[layer_] > 0) {
    attributes.set("window", of_.window[layer_]);
  }
  if (within > 0) attributes.set("within", within);
  if (of_.relative > 0) attributes.set("relative", of_.relative);
  return attributes;
}

LayerId BlockWriter::mix(const std::string& name, LayerId q, LayerId k, LayerId v,
                         const Attributes& attributes) {
  if (!of_.written_out) return add(name, "attention", {q, k, v}, attributes);
  const std::int64_t keys = graph_.so_far()[k].output.positions();
  const std::int64_t width = graph_.so_far()[v].output.channels();
  LayerId scores = add(name + "_scores", "matmul", {q, k},
                       {{"features", of_.heads * keys}, {"groups", of_.heads}});
  scores = add(name + "_softmax", "softmax", {scores}, {{"groups", of_.heads}, {"masked", true}});
  scores = dropout(name + "_dropout", scores, of_.drops_scores);
  return add(name, "matmul", {scores, v},
             {{"features", width}, {"groups", of_.heads}, {"turned", true}});
}

LayerId BlockWriter::attend(LayerId input, std::int64_t within) {
  if (of_.latent.rank > 0) return attend_by_latents(input);
  const std::int64_t wide = of_.heads * of_.head_size, narrow = of_.kv_heads * of_.head_size;
  const LayerId q = turned("q", dense("q", input, wide, of_.query_bias), of_.heads);
  const LayerId k = turned("k", dense("k", input, narrow, of_.query_bias), of_.kv_heads);
  const LayerId v = dense("v", input, narrow, of_.query_bias);
  const LayerId made = mix("attention", q, k, v, attention(of_.kv_heads, within));
  if (of_.one_table && of_.relative > 0) {
    if (table_) graph_.share(made, "bias", *table_);
    table_ = table_.value_or(made);
  }
  return dropout("o_dropout", dense("o", made, of_.hidden, of_.output_bias), of_.drops_parts);
}

LayerId BlockWriter::attend_to(LayerId read, LayerId input) {
  const std::int64_t wide = of_.heads * of_.head_size;
  const LayerId q = dense("cross.q", input, wide, of_.query_bias);
  const LayerId k = dense("cross.k", read, wide, of_.query_bias);
  const LayerId v = dense("cross.v", read, wide, of_.query_bias);
  const LayerId made = mix("cross.attention", q, k, v, {{"heads", of_.heads}});
  return dropout("cross.o_dropout", dense("cross.o", made, of_.hidden, of_.output_bias),
                 of_.drops_parts);
}

/// Keys and values are expanded, as in training. The part of the keys that all heads share is
/// made for one head and stands beside that of each.
LayerId BlockWriter::attend_by_latents(LayerId input) {
  const LatentAttention& latent = of_.latent;
  const std::int64_t key = latent.content + latent.rotary;
  LayerId from = input;
  if (latent.query_rank > 0) {
    from = norm("q_norm", dense("q_down", input, latent.query_rank, of_.query_bias));
  }
  LayerId q = dense("q", from, of_.heads * key, false);
  q = add("q_rotary", "rotary", {q}, {{"heads", of_.heads}, {"features", latent.rotary}});
  const LayerId narrow = norm("kv_norm", dense("kv_down", input, latent.rank, of_.query_bias));
  const LayerId content = dense("k", narrow, of_.heads * latent.content, false);
  LayerId shared = dense("k_shared", input, latent.rotary, of_.query_bias);
  shared = add("k_rotary", "rotary", {shared});
  const LayerId k = add("k_joined", "head_concat", {content, shared}, {{"heads", of_.heads}});
  const LayerId v = dense("v", narrow, of_.heads * latent.value, false);
  const LayerId made = mix("attention", q, k, v, attention(of_.heads, 0));
  return dropout("o_dropout", dense("o", made, of_.hidden, of_.output_bias), of_.drops_parts);
}

LayerId BlockWriter::transform(LayerId input) {
  const std::vector<bool>& routed = of_.experts.in_layer;
  const bool has_experts = layer_ < routed.size() && routed[layer_];
  return dropout("down_dropout", has_experts ? experts(input) : mlp("", input, of_.ffn),
                 of_.drops_parts);
}

LayerId BlockWriter::mlp(const std::string& name, LayerId input, std::int64_t features) {
  LayerId inner;
  if (of_.gated) {
    const LayerId gate = dense(name + "gate", input, features, of_.mlp_bias);
    const LayerId up = dense(name + "up", input, features, of_.mlp_bias);
    inner = add(name + "act", "gate", {gate, up}, {{"function", std::string(of_.activation)}});
  } else {
    inner = dense(name + "up", input, features, of_.mlp_bias);
    Attributes function = {{"function", std::string(of_.activation)}};
    if (of_.activation_by_operations) function.set("written_out", true);
    inner = add(name + "act", "activation", {inner}, function);
  }
  return dense(name + "down", inner, of_.hidden, of_.mlp_bias);
}

LayerId BlockWriter::expert_dense(const std::string& name, LayerId input, std::int64_t features) {
  return add(name, "expert_dense", {input},
             {{"experts", of_.experts.count}, {"features", features}});
}

LayerId BlockWriter::experts(LayerId input) {
  const Experts& experts = of_.experts;
  LayerId scores = dense("router", input, experts.count, experts.router_bias);
  if (experts.correction) scores = add("router_correction", "affine", {scores});
  scores = add("scores", "softmax", {scores});
  const LayerId rows =
      add("dispatch", "dispatch", {input, scores}, {{"per_token", experts.per_token}});
  const LayerId gate = expert_dense("experts.gate", rows, experts.features);
  const LayerId up = expert_dense("experts.up", rows, experts.features);
  const LayerId inner =
      add("experts.act", "gate", {gate, up}, {{"function", std::string(of_.activation)}});
  const LayerId down = expert_dense("experts.down", inner, of_.hidden);
  const LayerId made = add("combine", "combine", {down, scores});
  if (experts.shared_features == 0) return made;
  LayerId shared = mlp("shared.", input, experts.shared_features);
  if (experts.shared_gate) {
    LayerId score = dense("shared.score", input, 1, false);
    score = add("shared.sigmoid", "activation", {score}, {{"function", std::string("sigmoid")}});
    shared = add("shared.weighted", "multiply", {shared, score});
  }
  return sum("experts.sum", {made, shared});
}

}  // namespace oracle::transformers
