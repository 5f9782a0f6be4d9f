#pragma once
// What does a layer touch that a framework composes of element-wise kernels?
//
// Each of them reads and writes whole tensors, where one kernel of its own would keep what lies
// between on chip. Norms turn 16-bit activations into fp32 and back.
//
//   kind      forward                            backward
//   rms_norm  cast, square, mean, root, product, of the weight's product, casts, product, mean,
//             cast, product with the weight      square, and the sum of both ways
//   rotary    product, half turned and joined,   the same back, and the sum of both ways
//             product, sum
//   gate      function, product                  both products, function
//   softmax   of attention's scores: scale,      cast, softmax, cast, scale
//             mask, cast, softmax, cast
//   gelu      written out: cube, product, sum,     the same back, with a cast of each gradient
//             product, tangent, sum, product,     of the input, and their sums
//             product; under autocast in fp32
//             from the cube on
//
// Hugging Face Transformers 4.50, modeling_llama.py, modeling_bert.py and activations.py;
// PyTorch 2.6, derivatives.yaml, and its Autocast Op Reference for a softmax in fp32, whose cast
// back is then the reader's. Of a softmax that is not of attention nothing is composed.
//
// Worked: an RMSNorm of 4096 features in bf16 moves 36 bytes of each forward and 84 backward
//                                                          tests/cost/compute/composed_test.cpp

#include <optional>

#include "oracle/graph/graph.h"
#include "oracle/plan/plan.h"
#include "oracle/plan/training.h"

namespace oracle {

struct ComposedTraffic {
  double bytes_per_output = 0;
  int kernels = 0;
};

/// Of a forward or backward-data pass; none where the framework has one kernel for it.
std::optional<ComposedTraffic> composed_traffic(const Layer& layer, const Piece& piece, Pass pass,
                                                const Training& training);

}  // namespace oracle
