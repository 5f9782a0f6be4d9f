#pragma once
// What does a node compute that depends on no sample?
//
// Arithmetic on shapes and indices is carried out here and now. Of weights only the extents are
// kept, and which stored tensors they are computed from (weight norm, a part of a table, a
// transposed matrix). One row of the table in fold.cpp for each operator.
//
// Worked: Concat(Gather(Shape(x), 0), [-1]) of a batch of 61 is [61, -1]
//                                                                    tests/io/onnx/fold_test.cpp

#include <string_view>
#include <vector>

#include "oracle/io/onnx/model.h"

namespace oracle::onnx {

/// A node all of whose inputs are constants.
struct Call {
  const Node& node;
  std::vector<const Tensor*> inputs;  ///< nullptr where one is absent
  std::int64_t opset = 13;

  bool has(std::size_t at) const { return at < inputs.size() && inputs[at] != nullptr; }
  /// Throws InputError where it is absent.
  const Tensor& input(std::size_t at) const;
  /// The integers of an input. Throws InputError where they are not known.
  const Integers& integers(std::size_t at) const;
  /// Those of an input, or of an attribute as an older opset has them; none where both are absent.
  Integers listed(std::size_t at, std::string_view attribute) const;
  /// The axes that are listed, of `rank`, ascending.
  std::vector<std::size_t> axes(std::size_t at, std::size_t rank) const;
};

/// One tensor for each output. Throws InputError with an empty place.
using Fold = std::vector<Tensor> (*)(const Call& call);

/// nullptr where the operator is not folded.
Fold find_fold(std::string_view type);

/// A tensor of these extents that is computed from the call's inputs, its values not known.
Tensor computed(const Call& call, Integers dims, bool real);

// constants.cpp: what makes a constant
std::vector<Tensor> fold_constant(const Call& call);
std::vector<Tensor> fold_shape(const Call& call);
std::vector<Tensor> fold_size(const Call& call);
std::vector<Tensor> fold_filled(const Call& call);
std::vector<Tensor> fold_range(const Call& call);
std::vector<Tensor> fold_like(const Call& call);
std::vector<Tensor> fold_drawn(const Call& call);

// numbers.cpp: element by element
std::vector<Tensor> fold_numbers(const Call& call);
std::vector<Tensor> fold_cast(const Call& call);

// moves.cpp: the same elements elsewhere
std::vector<Tensor> fold_same(const Call& call);
std::vector<Tensor> fold_reshape(const Call& call);
std::vector<Tensor> fold_flatten(const Call& call);
std::vector<Tensor> fold_squeeze(const Call& call);
std::vector<Tensor> fold_unsqueeze(const Call& call);
std::vector<Tensor> fold_transpose(const Call& call);
std::vector<Tensor> fold_slice(const Call& call);
std::vector<Tensor> fold_gather(const Call& call);
std::vector<Tensor> fold_concat(const Call& call);
std::vector<Tensor> fold_split(const Call& call);
std::vector<Tensor> fold_expand(const Call& call);
std::vector<Tensor> fold_tile(const Call& call);
std::vector<Tensor> fold_pad(const Call& call);

// sums.cpp: several elements in one
std::vector<Tensor> fold_reduction(const Call& call);

}  // namespace oracle::onnx
