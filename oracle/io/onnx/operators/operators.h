#pragma once
// Which operators of ONNX are known? One row of the table in table.cpp each: what it becomes, or
// why it is refused.
//
// Worked: "Conv" has an operator, "Loop" a reason, "FusedConv" no row
//                                                              tests/io/onnx/operators_test.cpp

#include <string_view>

#include "oracle/io/onnx/importer.h"

namespace oracle::onnx {

/// Turns one node into a layer or another name of its input. Throws InputError with an empty place.
using Operator = void (*)(Importer& importer, const Node& node);

struct Row {
  std::string_view type;
  Operator act = nullptr;
  std::string_view reason = {};  ///< where it is refused
  std::string_view remedy = {};
};

/// nullptr where there is none.
const Row* find_operator(std::string_view type);

// windows.cpp: convolutions and pools
void convolution(Importer& importer, const Node& node);
void transposed_convolution(Importer& importer, const Node& node);
void max_pool(Importer& importer, const Node& node);
void average_pool(Importer& importer, const Node& node);
void global_average_pool(Importer& importer, const Node& node);
void global_max_pool(Importer& importer, const Node& node);

// products.cpp: products of matrices
void gemm(Importer& importer, const Node& node);
void matmul(Importer& importer, const Node& node);
void einsum(Importer& importer, const Node& node);

// quantized.cpp: the same of integers
void quantized_convolution(Importer& importer, const Node& node);
void quantized_matmul(Importer& importer, const Node& node);
void fake_quantize(Importer& importer, const Node& node);
void dynamic_quantize(Importer& importer, const Node& node);

// recurrent.cpp
void recurrent(Importer& importer, const Node& node);

// features.cpp: what normalizes features, looks them up or shares them out
void batch_normalization(Importer& importer, const Node& node);
void instance_normalization(Importer& importer, const Node& node);
void group_normalization_of_18(Importer& importer, const Node& node);
void layer_normalization(Importer& importer, const Node& node);
void local_response_normalization(Importer& importer, const Node& node);
void softmax(Importer& importer, const Node& node);
void loss(Importer& importer, const Node& node);
void embedding(Importer& importer, const Node& node);

// elementwise.cpp
void activation(Importer& importer, const Node& node);
void clip(Importer& importer, const Node& node);
void leaky_with_weights(Importer& importer, const Node& node);
void dropout(Importer& importer, const Node& node);
/// Sums, products and any other function of several tensors, broadcast.
void combine(Importer& importer, const Node& node);
void divide(Importer& importer, const Node& node);

// views.cpp: other shapes of the same elements
void identity(Importer& importer, const Node& node);
void flatten(Importer& importer, const Node& node);
void reshape(Importer& importer, const Node& node);
void squeeze(Importer& importer, const Node& node);
void unsqueeze(Importer& importer, const Node& node);
void transpose(Importer& importer, const Node& node);

// parts.cpp: parts of tensors
void slice(Importer& importer, const Node& node);
void split(Importer& importer, const Node& node);
void gather(Importer& importer, const Node& node);

// movements.cpp: elements at other places
void concat(Importer& importer, const Node& node);
void pad(Importer& importer, const Node& node);
void expand(Importer& importer, const Node& node);
void tile(Importer& importer, const Node& node);
void depth_to_space(Importer& importer, const Node& node);
void space_to_depth(Importer& importer, const Node& node);
/// An output of the shape of the first input.
void rearranged(Importer& importer, const Node& node);
void gather_elements(Importer& importer, const Node& node);
void top_k(Importer& importer, const Node& node);
void one_hot(Importer& importer, const Node& node);

// resize.cpp
void resize(Importer& importer, const Node& node);
void grid_sample(Importer& importer, const Node& node);

// reductions.cpp
void reduce(Importer& importer, const Node& node);

// branches.cpp
void choose_branch(Importer& importer, const Node& node);

// written_out.cpp: layers in smaller operators. Each looks at what follows its node, and returns
// whether it has made a layer of it.
bool layer_norm_written_out(Importer& importer, const Node& mean);
bool gelu_written_out(Importer& importer, const Node& quotient);
/// A Reshape to `extents`, an InstanceNormalization and the Reshape back.
bool group_normalization(Importer& importer, const Node& split, const Integers& extents);

/// The axes that a node reduces, of `rank`; all where it names none.
std::vector<std::size_t> axes_to_reduce(const Importer& importer, const Node& node,
                                        std::size_t rank);

}  // namespace oracle::onnx
