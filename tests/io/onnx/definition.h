#pragma once
// What does a file hold by the definition of its operators, on shapes from ONNX's own inference?
//
// Counted over the messages of the file, with nothing of the importer: the products of convolutions
// and of matrices, and the elements of the real tensors that some node reads.

#include <cstdint>
#include <optional>
#include <string>

namespace oracle {

struct Definition {
  /// Of tensors of more than one element, and of the slopes of PRelu; running statistics are none.
  std::int64_t parameters = 0;
  /// For one sample; nothing where a shape is not inferred, or an operator has products that are
  /// not counted here.
  std::optional<double> multiply_adds;
  std::size_t inputs = 0;  ///< of the graph, without initializers
};

/// A batch that is open is taken as `batch`.
Definition definition_of(const std::string& file, std::int64_t batch);

}  // namespace oracle
