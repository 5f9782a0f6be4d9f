#include "oracle/io/models/transformers/networks.h"

namespace oracle::transformers {
namespace {

/// Attention to its own text, attention to the other stack's output, MLP.
LayerId decoder_block(BlockWriter& writer, LayerId read, LayerId at) {
  at = writer.sum("sum1", {at, writer.attend(writer.norm("norm1", at))});
  at = writer.sum("sum_cross", {at, writer.attend_to(read, writer.norm("norm_cross", at))});
  return writer.sum("sum2", {at, writer.transform(writer.norm("norm2", at))});
}

Attributes table_of(const Architecture& of) {
  return {{"entries", of.vocabulary}, {"features", of.hidden}};
}

}  // namespace

Graph build_encoder_decoder(const Architecture& of, const std::string& name,
                            std::int64_t sequence) {
  GraphBuilder graph(name);
  Architecture encoder = of;
  encoder.causal = false;
  BlockWriter first(encoder, graph), second(of, graph);
  Shape tokens;
  tokens[Axis::sequence] = sequence;
  const LayerId text = graph.input(tokens);
  const LayerId table = first.add("embed", "embedding", {text}, table_of(of));
  LayerId at = table;
  for (std::int64_t i = 0; i < of.layers; ++i) {
    first.begin_block("encoder.layers.", i);
    at = first.block(at);
  }
  first.end_blocks();
  const LayerId encoded = first.norm("encoder_norm", at);

  const std::int64_t own = of.decoder.tokens > 0 ? of.decoder.tokens : sequence;
  at = second.add("decoder_input", "further_input", {text}, {{"sequence", own}});
  at = second.add("decoder_embed", "embedding", {at}, table_of(of));
  graph.share(at, "weight", table);
  for (std::int64_t i = 0; i < of.decoder.layers; ++i) {
    second.begin_block("decoder.layers.", i);
    at = decoder_block(second, encoded, at);
  }
  second.end_blocks();
  const LayerId scores = second.dense("head", second.norm("norm", at), of.vocabulary, of.head_bias);
  if (of.tied) graph.share(scores, "weight", table);
  second.add("loss", "softmax_loss", {scores});
  return graph.finish();
}

}  // namespace oracle::transformers
