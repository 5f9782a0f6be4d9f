#include <algorithm>
#include <array>

#include "oracle/io/onnx/operators/operators.h"

namespace oracle::onnx {
namespace {

struct Row {
  std::string_view type;
  Operator act;
};

constexpr std::array kRows = {
    Row{"Abs", activation},
    Row{"Add", sum},
    Row{"AveragePool", average_pool},
    Row{"BatchNormalization", batch_normalization},
    Row{"Cast", identity},
    Row{"Clip", clip},
    Row{"Concat", concat},
    Row{"Constant", constant},
    Row{"ConstantOfShape", shape_constant},
    Row{"Conv", convolution},
    Row{"ConvTranspose", transposed_convolution},
    Row{"Div", divide},
    Row{"Dropout", dropout},
    Row{"Elu", activation},
    Row{"Erf", activation},
    Row{"Exp", activation},
    Row{"Flatten", flatten},
    Row{"Gather", gather},
    Row{"Gelu", activation},
    Row{"Gemm", gemm},
    Row{"GlobalAveragePool", global_average_pool},
    Row{"GlobalMaxPool", global_max_pool},
    Row{"GroupNormalization", group_normalization_of_18},
    Row{"HardSigmoid", activation},
    Row{"HardSwish", activation},
    Row{"Identity", identity},
    Row{"InstanceNormalization", instance_normalization},
    Row{"LRN", local_response_normalization},
    Row{"LayerNormalization", layer_normalization},
    Row{"LeakyRelu", activation},
    Row{"Log", activation},
    Row{"LogSoftmax", softmax},
    Row{"MatMul", matmul},
    Row{"MaxPool", max_pool},
    Row{"Mish", activation},
    Row{"Mul", multiply},
    Row{"Neg", activation},
    Row{"PRelu", leaky_with_weights},
    Row{"Pad", pad},
    Row{"Pow", power},
    Row{"Reciprocal", activation},
    Row{"ReduceMean", reduce_mean},
    Row{"Relu", activation},
    Row{"Reshape", reshape},
    Row{"Resize", resize},
    Row{"Selu", activation},
    Row{"Shape", shape},
    Row{"Sigmoid", activation},
    Row{"Slice", slice},
    Row{"Softmax", softmax},
    Row{"SoftmaxCrossEntropyLoss", loss},
    Row{"Softplus", activation},
    Row{"Split", split},
    Row{"Sqrt", activation},
    Row{"Squeeze", squeeze},
    Row{"Sub", sum},
    Row{"Sum", sum},
    Row{"Tanh", activation},
    Row{"Transpose", transpose},
    Row{"Unsqueeze", unsqueeze},
    Row{"Upsample", resize},
};

}  // namespace

Operator find_operator(std::string_view type) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.type == type; });
  return found == kRows.end() ? nullptr : found->act;
}

}  // namespace oracle::onnx
