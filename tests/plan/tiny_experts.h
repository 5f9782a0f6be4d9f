#pragma once
// A small text with experts, for tests that count by hand.

#include "oracle/io/models/transformers/architecture.h"

namespace oracle {

/// 4 experts, 2 of them for each of 16 tokens of 64 channels: 32 rows a sample.
inline Graph experts() {
  transformers::Architecture of;
  of.layers = 1;
  of.hidden = 64;
  of.heads = of.kv_heads = 4;
  of.head_size = 16;
  of.ffn = of.vocabulary = 64;
  of.experts.count = 4;
  of.experts.per_token = 2;
  of.experts.features = 32;
  of.experts.in_layer = {true};
  return build(of, "experts", 16);
}

}  // namespace oracle
