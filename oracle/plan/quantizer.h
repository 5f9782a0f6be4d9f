#pragma once
// When are operands of linear products written in fewer bits, and what keeps them?
//
//   forward            the input, once for all linears that read it in one layout; it is kept
//                      turned round, as the gradient of the weights reads it
//   change of layout   where linears alone read a tensor it travels in fewer bits, unless a sum is
//                      to be made, and is turned round where it arrives
//   backward           the gradient of the output, in rows for the gradient of the input, turned
//                      round for that of the weights
//
// An item reads the wide tensor once and writes what is asked of both layouts (Pass::quantize).
// Weights are written in both by the update; to turn round those that are gathered counts for
// nothing. Transformer Engine; DeepSeek-V3, arXiv 2412.19437,
// 3.3, which dispatches in 8 bits and combines in 16.
//
// Worked: in fp8 a linear 4096→4096 reads 1024 tokens: 8.4 MB of bf16 are read and twice 4.2 MB
// written, and as much of the output's gradient              tests/plan/narrow_formats_test.cpp

#include <algorithm>
#include <utility>
#include <vector>

#include "oracle/plan/stage_writer.h"

namespace oracle {

class Quantizer {
 public:
  /// An operand in both layouts; either may be none.
  struct Operand {
    TensorId rows = kNoTensor, turned = kNoTensor;
  };

  /// All must outlive it.
  Quantizer(const Graph& graph, const Plan& plan, StageWriter& writer)
      : graph_(graph), plan_(plan), writer_(writer) {}

  /// Forgets the stage before.
  void start() { turned_.clear(); }

  bool serves(LayerId id) const { return is_narrow(graph_[id], plan_.training.precision); }

  /// Whether the output of a layer travels in fewer bits to `layout`, of which no wide version is.
  bool travels(LayerId producer, const Layout& layout) const;

  /// Whether a linear that reads the output of a layer in that layout is such: the first writes
  /// what any of them reads.
  template <typename Holds>
  bool any_reader(LayerId producer, const Layout& layout, Holds holds) const {
    const std::vector<LayerId>& readers = graph_.consumers[producer];
    return std::any_of(readers.begin(), readers.end(), [&](LayerId reader) {
      return serves(reader) && holds(reader) &&
             demanded_input(graph_, plan_.assignment, reader, 0) == layout;
    });
  }

  /// Which of both layouts an item writes.
  enum class Makes : std::uint8_t { rows, turned, both };

  /// What is made of `wide`, the output of a layer or its gradient, for `reader`.
  Operand quantize(TensorId wide, LayerId reader, Phase phase, Makes makes);

  /// The gradient of a layer's output as the passes of its backward read it.
  Operand of_gradient(TensorId gradient, LayerId id, bool to_inputs);

  /// `rows` turned round: as it was written with them, or now.
  TensorId turned(TensorId rows, LayerId reader, Phase phase);

 private:
  const Graph& graph_;
  const Plan& plan_;
  StageWriter& writer_;
  std::vector<std::pair<TensorId, TensorId>> turned_;  ///< of rows
};

}  // namespace oracle
