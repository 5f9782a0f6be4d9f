#pragma once
// A transformer whose blocks take turns.

#include <cstdint>
#include <string>

#include "oracle/io/json/document.h"
#include "oracle/io/models/transformers/config_reader.h"

namespace oracle {

/// A text through `blocks` blocks, each `period`-th of which has no window.
inline Graph taking_turns(std::int64_t blocks, std::int64_t period) {
  const std::string text =
      R"({"model_type": "gemma3_text", "hidden_size": 64, "intermediate_size": 96,
          "num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 16, "vocab_size": 11,
          "sliding_window": 4, "num_hidden_layers": )" +
      std::to_string(blocks) + R"(, "sliding_window_pattern": )" + std::to_string(period) + "}";
  return transformers::read_transformer(json::parse(text, "turns.json"), "turns.json",
                                        {16, {}, {}});
}

}  // namespace oracle
