#pragma once
// Which values are fp32 though a network is trained in fp16 or bf16?
//
// Under PyTorch's autocast weights stay fp32, and what meets them in other operations than products
// becomes fp32: embeddings, norms and what is added to them, and so the sums that run through a
// transformer.
//
//   layer                              reads          makes
//   products, convolutions, attention  fp16 or bf16   fp16 or bf16
//   layer_norm                         fp32           fp32
//   softmax, powers in a function that as it comes    fp32
//   is written out
//   others with weights, but for       as they come   fp32
//   batch_norm
//   all else                           as they come   fp32 where an input is, else fp16 or bf16
//
// A reader that takes another format than was made casts it: each for itself, forward, and its
// gradient back. A compiler that fuses kernels makes what products alone read as they take it. What
// shards keep of weights is gathered in fp16 or bf16 (zero=3, FSDP): nothing is promoted then.
// PyTorch 2.6, Autocast Op Reference and Type promotion.
//
// Worked: in a block of ViT-B both norms and both sums are fp32, and queries, keys, values and the
// first linear of the MLP read a cast                             tests/plan/promotion_test.cpp

#include <vector>

#include "oracle/plan/plan.h"

namespace oracle {

/// By layer whether its output is fp32 where activations have fewer bits. Empty: none is.
std::vector<bool> promoted_layers(const Graph& graph, const Training& training, int zero);

/// Sets Piece::wide_inputs and wide_output of a plan whose promoted layers are known.
void find_promoted_pieces(const Graph& graph, Plan& plan);

/// Bytes of a value of what a layer reads, in the mean, and of what it makes.
struct Values {
  double input, output;
};

Values values_of(const Piece& piece, const Precision& precision);

/// Bytes of a value of a layer's output as the plan stores it.
double value_bytes(const Graph& graph, const Plan& plan, LayerId id);

/// The same as `reader` takes it: another where it casts.
double value_bytes_read(const Graph& graph, const Plan& plan, LayerId id, LayerId reader);

/// Bytes of a value of the gradient of a layer's output as backward of `reader` makes it.
double gradient_bytes_made(const Graph& graph, const Plan& plan, LayerId id, LayerId reader);

}  // namespace oracle
