#include "oracle/io/models/transformers/networks.h"

namespace oracle::transformers {
namespace {

struct Embedded {
  LayerId table = 0, at = 0;
};

Embedded embed(BlockWriter& writer, const Architecture& of, LayerId tokens) {
  Embedded out;
  out.table = writer.add("embed", "embedding", {tokens},
                         {{"entries", of.vocabulary}, {"features", of.hidden}});
  out.at = out.table;
  if (of.positions > 0) {
    out.at = writer.add("positions", "added_rows", {out.at}, {{"entries", of.positions}});
  }
  if (of.token_types > 0) {
    out.at = writer.add("segments", "added_rows", {out.at},
                        {{"entries", of.token_types}, {"by", std::string("segment")}});
  }
  if (of.embedding_norm) out.at = writer.norm("embed_norm", out.at);
  out.at = writer.dropout("embed_dropout", out.at, of.drops_embedding);
  return out;
}

LayerId before_head(BlockWriter& writer, const Architecture& of, LayerId at,
                    std::int64_t sequence) {
  if (of.norm_places != NormPlaces::sums) at = writer.norm("norm", at);
  if (of.read_out > 0 && of.read_out < sequence) {
    at = writer.add("read_out", "slice", {at}, {{"sequence", of.read_out}});
  }
  if (of.pooled) {
    at = writer.dense("pooler", at, of.hidden, true);
    at = writer.add("pooler_act", "activation", {at}, {{"function", std::string("tanh")}});
  }
  if (!of.head_transform) return at;
  at = writer.dense("head_dense", at, of.hidden, true);
  at = writer.add("head_act", "activation", {at}, {{"function", std::string(of.activation)}});
  return writer.norm("head_norm", at);
}

}  // namespace

Graph build_text(const Architecture& of, const std::string& name, std::int64_t sequence) {
  GraphBuilder graph(name);
  BlockWriter writer(of, graph);
  Shape tokens;
  tokens[Axis::sequence] = sequence;
  const Embedded embedded = embed(writer, of, graph.input(tokens));
  LayerId at = embedded.at;
  for (std::int64_t i = 0; i < of.layers; ++i) {
    writer.begin_block("layers.", i);
    at = writer.block(at);
  }
  writer.end_blocks();
  at = before_head(writer, of, at, sequence);
  const std::int64_t classes = of.labels > 0 ? of.labels : of.vocabulary;
  const LayerId scores = writer.dense("head", at, classes, of.head_bias);
  if (of.tied) graph.share(scores, "weight", embedded.table);
  writer.add("loss", "softmax_loss", {scores});
  return graph.finish();
}

}  // namespace oracle::transformers
