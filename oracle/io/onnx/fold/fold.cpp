#include "oracle/io/onnx/fold/fold.h"

#include <algorithm>
#include <array>

#include "oracle/base/error.h"
#include "oracle/io/onnx/shapes.h"

namespace oracle::onnx {
namespace {

struct FoldRow {
  std::string_view type;
  Fold fold;
};

constexpr std::array kFolds = {
    FoldRow{"Constant", fold_constant},
    FoldRow{"ConstantOfShape", fold_filled},
    FoldRow{"Shape", fold_shape},
    FoldRow{"Size", fold_size},
    FoldRow{"Range", fold_range},
    FoldRow{"EyeLike", fold_like},
    FoldRow{"RandomNormal", fold_drawn},
    FoldRow{"RandomUniform", fold_drawn},
    FoldRow{"RandomNormalLike", fold_like},
    FoldRow{"RandomUniformLike", fold_like},
    FoldRow{"Bernoulli", fold_like},
    FoldRow{"Cast", fold_cast},
    FoldRow{"CastLike", fold_cast},
    FoldRow{"Identity", fold_same},
    FoldRow{"Dropout", fold_same},
    FoldRow{"Trilu", fold_like},
    FoldRow{"CumSum", fold_like},
    FoldRow{"ScatterND", fold_like},
    FoldRow{"ScatterElements", fold_like},
    FoldRow{"Scatter", fold_like},
    FoldRow{"Softmax", fold_like},
    FoldRow{"LogSoftmax", fold_like},
    FoldRow{"LpNormalization", fold_like},
    FoldRow{"LayerNormalization", fold_like},
    FoldRow{"ReverseSequence", fold_like},
    FoldRow{"QuantizeLinear", fold_like},
    FoldRow{"DequantizeLinear", fold_cast},
    FoldRow{"Reshape", fold_reshape},
    FoldRow{"Flatten", fold_flatten},
    FoldRow{"Squeeze", fold_squeeze},
    FoldRow{"Unsqueeze", fold_unsqueeze},
    FoldRow{"Transpose", fold_transpose},
    FoldRow{"Slice", fold_slice},
    FoldRow{"Gather", fold_gather},
    FoldRow{"Concat", fold_concat},
    FoldRow{"Split", fold_split},
    FoldRow{"Expand", fold_expand},
    FoldRow{"Tile", fold_tile},
    FoldRow{"Pad", fold_pad},
    FoldRow{"ReduceL1", fold_reduction},
    FoldRow{"ReduceL2", fold_reduction},
    FoldRow{"ReduceLogSum", fold_reduction},
    FoldRow{"ReduceLogSumExp", fold_reduction},
    FoldRow{"ReduceMax", fold_reduction},
    FoldRow{"ReduceMean", fold_reduction},
    FoldRow{"ReduceMin", fold_reduction},
    FoldRow{"ReduceProd", fold_reduction},
    FoldRow{"ReduceSum", fold_reduction},
    FoldRow{"ReduceSumSquare", fold_reduction},
    FoldRow{"ArgMax", fold_reduction},
    FoldRow{"ArgMin", fold_reduction},
};

/// Operators that act on each element, of one input or of several.
constexpr std::array<std::string_view, 57> kOfElements = {
    "Abs",         "Acos",       "Acosh",      "Add",
    "And",         "Asin",       "Asinh",      "Atan",
    "Atanh",       "BitShift",   "BitwiseAnd", "BitwiseNot",
    "BitwiseOr",   "BitwiseXor", "Ceil",       "Celu",
    "Clip",        "Cos",        "Cosh",       "Div",
    "Elu",         "Equal",      "Erf",        "Exp",
    "Floor",       "Gelu",       "Greater",    "GreaterOrEqual",
    "HardSigmoid", "HardSwish",  "LeakyRelu",  "Less",
    "LessOrEqual", "Log",        "Max",        "Mean",
    "Min",         "Mod",        "Mul",        "Neg",
    "Not",         "Or",         "PRelu",      "Pow",
    "Reciprocal",  "Relu",       "Round",      "Sigmoid",
    "Sign",        "Sin",        "Softplus",   "Sqrt",
    "Sub",         "Sum",        "Tanh",       "Where",
    "Xor"};

}  // namespace

Fold find_fold(std::string_view type) {
  const auto* found = std::find_if(kFolds.begin(), kFolds.end(),
                                   [&](const FoldRow& row) { return row.type == type; });
  if (found != kFolds.end()) return found->fold;
  const bool of_elements =
      std::find(kOfElements.begin(), kOfElements.end(), type) != kOfElements.end();
  return of_elements ? fold_numbers : nullptr;
}

const Tensor& Call::input(std::size_t at) const {
  if (has(at)) return *inputs[at];
  throw InputError("", "its input " + std::to_string(at + 1) + " is missing",
                   "export the network again");
}

const Integers& Call::integers(std::size_t at) const {
  const Tensor& tensor = input(at);
  if (tensor.integers) return *tensor.integers;
  throw InputError("", "the integers of its input " + std::to_string(at + 1) + " are not known",
                   "fold constants before exporting (onnxsim)");
}

Integers Call::listed(std::size_t at, std::string_view attribute) const {
  return has(at) ? integers(at) : list_of(node, attribute);
}

std::vector<std::size_t> Call::axes(std::size_t at, std::size_t rank) const {
  return axes_of(listed(at, "axes"), rank);
}

Tensor computed(const Call& call, Integers dims, bool real) {
  for (const std::int64_t extent : dims) {
    if (extent >= 0 && extent <= kMostExtent) continue;
    throw InputError("", "it makes a tensor with an extent of " + std::to_string(extent));
  }
  elements_of(dims);
  Tensor tensor;
  tensor.dims = std::move(dims);
  tensor.real = real;
  for (const Tensor* input : call.inputs) {
    if (input != nullptr) tensor.sources.insert(input->sources.begin(), input->sources.end());
  }
  return tensor;
}

}  // namespace oracle::onnx
