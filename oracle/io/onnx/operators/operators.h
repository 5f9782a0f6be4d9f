#pragma once
// Which operators of ONNX are known? One row of the table in table.cpp each.
//
// Worked: "Conv" has a row, "Loop" has none                    tests/io/onnx/operators_test.cpp

#include <string_view>

#include "oracle/io/onnx/importer.h"

namespace oracle::onnx {

/// Turns one node into a layer, a constant or another name of its input. Throws InputError with an
/// empty place.
using Operator = void (*)(Importer& importer, const Node& node);

/// nullptr where there is none.
Operator find_operator(std::string_view type);

// windows.cpp: convolutions and pools
void convolution(Importer& importer, const Node& node);
void transposed_convolution(Importer& importer, const Node& node);
void max_pool(Importer& importer, const Node& node);
void average_pool(Importer& importer, const Node& node);
void global_average_pool(Importer& importer, const Node& node);
void global_max_pool(Importer& importer, const Node& node);
void reduce_mean(Importer& importer, const Node& node);
void pad(Importer& importer, const Node& node);

// matmul.cpp: products of matrices
void gemm(Importer& importer, const Node& node);
void matmul(Importer& importer, const Node& node);

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
void sum(Importer& importer, const Node& node);
void multiply(Importer& importer, const Node& node);
void divide(Importer& importer, const Node& node);
void power(Importer& importer, const Node& node);
void identity(Importer& importer, const Node& node);

// views.cpp: other shapes of the same elements, and tensors joined
void concat(Importer& importer, const Node& node);
void flatten(Importer& importer, const Node& node);
void reshape(Importer& importer, const Node& node);
void squeeze(Importer& importer, const Node& node);
void unsqueeze(Importer& importer, const Node& node);
void transpose(Importer& importer, const Node& node);

// parts.cpp: parts of tensors, and other extents
void slice(Importer& importer, const Node& node);
void split(Importer& importer, const Node& node);
void gather(Importer& importer, const Node& node);
void resize(Importer& importer, const Node& node);

// written_out.cpp: layers in smaller operators. Each looks at what follows its node, and returns
// whether it has made a layer of it.
bool layer_norm_written_out(Importer& importer, const Node& mean);
bool gelu_written_out(Importer& importer, const Node& quotient);
/// A Reshape to `extents` behind the batch, an InstanceNormalization and the Reshape back.
bool group_normalization(Importer& importer, const Node& split, const Integers& extents);

// integers.cpp: arithmetic on shapes, carried out here and now
void constant(Importer& importer, const Node& node);
void shape(Importer& importer, const Node& node);
void shape_constant(Importer& importer, const Node& node);
void gather_of_shape(Importer& importer, const Node& node);
void slice_of_shape(Importer& importer, const Node& node);
/// Rows of a weight at places that are known.
void rows_of_weights(Importer& importer, const Node& node);
/// Adds, subtracts, multiplies or divides two lists of integers.
void integer_arithmetic(Importer& importer, const Node& node);

}  // namespace oracle::onnx
