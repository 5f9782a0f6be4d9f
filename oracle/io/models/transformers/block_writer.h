#pragma once
// Which layers are the parts of a block: attention, MLP, experts?

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "oracle/graph/graph.h"
#include "oracle/io/models/transformers/architecture.h"

namespace oracle::transformers {

/// Adds the parts of one stack of blocks to a graph, each after the layers that it reads.
class BlockWriter {
 public:
  BlockWriter(Architecture architecture, GraphBuilder& graph)
      : of_(std::move(architecture)), graph_(graph) {}

  /// What is added next belongs to block number `i` of `stack`: "layers." makes "layers.3.".
  void begin_block(const std::string& stack, std::int64_t i);
  void end_blocks() { prefix_.clear(); }

  LayerId add(const std::string& name, std::string_view kind, std::vector<LayerId> inputs,
              const Attributes& attributes = {});
  LayerId dense(const std::string& name, LayerId input, std::int64_t features, bool bias);
  LayerId norm(const std::string& name, LayerId input);
  LayerId sum(const std::string& name, std::vector<LayerId> terms);
  LayerId dropout(const std::string& name, LayerId input, bool drops);

  /// A whole block of one stack.
  LayerId block(LayerId at);
  /// Of the input by itself, by `within` positions in a row where it is not 0.
  LayerId attend(LayerId input, std::int64_t within = 0);
  /// Of queries of the input to keys and values of `read`, all of them.
  LayerId attend_to(LayerId read, LayerId input);
  /// The MLP of the block, or its experts.
  LayerId transform(LayerId input);

 private:
  LayerId parallel_block(LayerId at);
  LayerId turned(const std::string& name, LayerId input, std::int64_t heads);
  Attributes attention(std::int64_t kv_heads, std::int64_t within) const;
  /// Of one width of heads each; `attributes` are those of the one kernel.
  LayerId mix(const std::string& name, LayerId q, LayerId k, LayerId v,
              const Attributes& attributes);
  LayerId attend_by_latents(LayerId input);
  LayerId attend_linearly(LayerId input);
  LayerId along_text(const std::string& name, LayerId input, std::int64_t features);
  LayerId mlp(const std::string& name, LayerId input, std::int64_t features);
  LayerId expert_dense(const std::string& name, LayerId input, std::int64_t features);
  LayerId expert_mlp(LayerId rows);
  LayerId experts(LayerId input);

  Architecture of_;
  GraphBuilder& graph_;
  std::string prefix_;
  std::size_t layer_ = 0;
  std::optional<LayerId> table_;  ///< attention whose table of relative positions all share
};

}  // namespace oracle::transformers
