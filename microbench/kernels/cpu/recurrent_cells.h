#pragma once
// What do the gates of a recurrent layer compute at one token of one sample?
//
// A row has blocks of h features. Before a step they are sums, W·x[t] + R·h[t−1] + b; after it what
// backward reads. σ is the logistic function, · a product by element, h' and c' are those of the
// token before:
//
//   cell   row            step
//   lstm   i f g o c      c = σ(f)·c' + σ(i)·tanh(g),  h = σ(o)·tanh(c)
//   gru    r z m n        n = tanh(n + σ(r)·m),  h = (1 − σ(z))·n + σ(z)·h',  m = R·h' + b of n
//   alone rnn    h              h = tanh(h)
//
// Hochreiter & Schmidhuber, Neural Computation 9(8), 1997; Cho et al., EMNLP 2014, with the reset
// behind the product, as cuDNN and PyTorch have it (linear_before_reset of ONNX); Elman, 1990.
//
// A row of slopes has the gradients of the sums: of i f g o, of r z m n, or of the one.
//
// Worked: an rnn of sum 0.5 gives 0.46212, and dh = 1 a slope of 0.78645
//                                       tests/microbench/kernels/cpu/recurrent_cells_test.cpp

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace oracle {

/// Rows of W, in blocks, and the column of a row that they are added to.
struct InputPart {
  std::int64_t first, count, column;
};

/// What a step reads and writes: of h features each, `row` of all blocks.
struct CellStep {
  float* row;
  const float* cell_before;  ///< c', of an lstm
  float* state;              ///< h' before, h after
};

struct CellBack {
  const float* row;
  const float* cell_before;   ///< c', of an lstm
  const float* state_before;  ///< h', of a gru
  float* state_gradient;      ///< dh before; after, what of it goes to h' past the product
  float* cell_gradient;       ///< dc before, dc' after; of an lstm
  float* slopes;
};

struct RecurrentCell {
  std::string_view name;
  std::int64_t gates;   ///< blocks of W and R; R's are added to the first ones of a row
  std::int64_t blocks;  ///< of a row
  std::int64_t slopes;  ///< blocks of a row of slopes
  bool has_cell;        ///< whether a step hands on its last block
  std::span<const InputPart> inputs;
  void (*step)(const CellStep& at, std::int64_t features);
  void (*back)(const CellBack& at, std::int64_t features);
};

/// "lstm", "gru" or "rnn".
const RecurrentCell& recurrent_cell(std::string_view name);

}  // namespace oracle
