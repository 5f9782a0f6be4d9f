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
  if (layer_ < of_.parts.size()) {
    return of_.parts[layer_] == Part::attention ? sum("sum1", {at, attend(norm("norm1", at))})
                                                : sum("sum2", {at, transform(norm("norm2", at))});
  }
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
  const std::vector<bool>& linear = of_.linear.in_layer;
  if (layer_ < linear.size() && linear[layer_]) return attend_linearly(input);
  if (of_.latent.rank > 0) return attend_by_latents(input);
  const std::int64_t wide = of_.heads * of_.head_size, narrow = of_.kv_heads * of_.head_size;
  const LayerId q = turned("q", dense("q", input, wide, of_.query_bias), of_.heads);
  const LayerId k = turned("k", dense("k", input, narrow, of_.query_bias), of_.kv_heads);
  const LayerId v = dense("v", input, narrow, of_.query_bias);
  LayerId made = mix("attention", q, k, v, attention(of_.kv_heads, within));
  if (of_.gated_attention) {
    const LayerId let = dense("attention_gate", input, wide, of_.query_bias);
    made = add("attention_gated", "gate", {let, made}, {{"function", std::string("sigmoid")}});
  }
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

LayerId BlockWriter::along_text(const std::string& name, LayerId input, std::int64_t features) {
  Attributes taps{{"taps", of_.linear.taps}};
  if (of_.linear.taps_bias) taps.set("bias", true);
  return add(name + "_convolution", "causal_convolution",
             {dense(name, input, features, of_.linear.bias)}, taps);
}

/// Mamba-2 calls queries C, keys B, values x, what lets through z.
LayerId BlockWriter::attend_linearly(LayerId input) {
  const LinearAttention& linear = of_.linear;
  const std::int64_t narrow = linear.heads * linear.head_size,
                     wide = linear.value_heads * linear.value_size;
  std::vector<LayerId> read = {along_text("q", input, narrow), along_text("k", input, narrow),
                               along_text("v", input, wide),
                               dense("decay", input, linear.value_heads, linear.bias)};
  Attributes heads{{"heads", linear.heads}, {"value_heads", linear.value_heads}};
  if (linear.decay) {
    heads.set("rule", std::string("decay"));
  } else {
    read.push_back(dense("writing", input, linear.value_heads, linear.bias));
  }
  if (linear.chunk > 0) heads.set("chunk", linear.chunk);
  const LayerId let = dense("attention_gate", input, wide, linear.bias);
  LayerId made = add("attention", "linear_attention", read, heads);
  const auto normalized = [&](LayerId at) {
    Attributes groups{{"groups", linear.decay ? linear.heads : linear.value_heads}};
    if (linear.decay) groups.set("apart", true);
    return add("attention_norm", "rms_norm", {at}, groups);
  };
  if (!linear.decay) made = normalized(made);
  made = add("attention_gated", "gate", {let, made}, {{"function", std::string("silu")}});
  if (linear.decay) made = normalized(made);
  const bool bias = linear.bias || of_.output_bias;
  return dropout("o_dropout", dense("o", made, of_.hidden, bias), of_.drops_parts);
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

LayerId BlockWriter::expert_mlp(LayerId rows) {
  const std::int64_t features = of_.experts.features;
  const Attributes function{{"function", std::string(of_.activation)}};
  LayerId inner;
  if (of_.gated) {
    const LayerId gate = expert_dense("experts.gate", rows, features);
    inner =
        add("experts.act", "gate", {gate, expert_dense("experts.up", rows, features)}, function);
  } else {
    inner =
        add("experts.act", "activation", {expert_dense("experts.up", rows, features)}, function);
  }
  const std::int64_t narrow = of_.experts.latent;
  return expert_dense("experts.down", inner, narrow > 0 ? narrow : of_.hidden);
}

LayerId BlockWriter::experts(LayerId input) {
  const Experts& experts = of_.experts;
  LayerId scores = dense("router", input, experts.count, experts.router_bias);
  if (experts.correction) scores = add("router_correction", "affine", {scores});
  scores = add("scores", "softmax", {scores});
  const bool narrow = experts.latent > 0;
  const LayerId sent = narrow ? dense("latent_down", input, experts.latent, false) : input;
  const LayerId rows =
      add("dispatch", "dispatch", {sent, scores}, {{"per_token", experts.per_token}});
  LayerId made = add("combine", "combine", {expert_mlp(rows), scores});
  if (narrow) made = dense("latent_up", made, of_.hidden, false);
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
