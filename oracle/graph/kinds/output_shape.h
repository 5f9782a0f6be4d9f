#pragma once
// How is an output written down that does not follow from a window?
//
// "features", "extents" (one number, or one per spatial axis) and "sequence"; where one is not
// written, it is the input's. Positions lie in space or in a sequence: where only one of the two is
// written, the other is 1.
//
// Worked: 64x28x28 with "features": 10 → 10x28x28; with "sequence": 784 → 64 channels, 784 tokens
//                                                            tests/graph/kinds/reshape_test.cpp

#include <span>

#include "oracle/graph/attributes.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/graph/layer.h"

namespace oracle {

inline constexpr AttributeDoc kOutputAttributes[] = {
    {"features", "output features; those of its input"},
    {"extents", "output size: one number, or one per spatial axis; those of its input"},
    {"sequence", "output tokens of a sequence; those of its input"},
};

/// Of a kind that stands for many operators: also what the one at hand is called.
inline constexpr AttributeDoc kOperatorAttributes[] = {kOutputAttributes[0],
                                                       kOutputAttributes[1],
                                                       kOutputAttributes[2],
                                                       {"operator", "what it is called"}};

/// As many inputs as such an operator may have.
inline constexpr std::size_t kManyInputs = 4096;

/// Elements of all inputs, in units of those of the first.
double elements_read(const Layer& layer, std::span<const Shape> inputs);

/// Throws InputError (empty place).
Shape read_output(const Layer& layer, const Attributes& attributes);
/// The same of kOperatorAttributes; throws also where "operator" is not a word.
Shape read_operator_output(const Layer& layer, const Attributes& attributes);

/// A shard along the features, or along positions, stays one where all of those stay.
void keep_what_stays(Layer& layer);

}  // namespace oracle
