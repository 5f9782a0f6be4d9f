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
    Row{"Add", sum},
    Row{"AveragePool", average_pool},
    Row{"BatchNormalization", batch_normalization},
    Row{"Cast", identity},
    Row{"Clip", clip},
    Row{"Concat", concat},
    Row{"Constant", constant},
    Row{"Conv", convolution},
    Row{"ConvTranspose", transposed_convolution},
    Row{"Div", integer_arithmetic},
    Row{"Dropout", dropout},
    Row{"Flatten", flatten},
    Row{"Gather", gather},
    Row{"Gemm", gemm},
    Row{"GlobalAveragePool", global_average_pool},
    Row{"GlobalMaxPool", global_max_pool},
    Row{"HardSigmoid", activation},
    Row{"HardSwish", activation},
    Row{"Identity", identity},
    Row{"LRN", local_response_normalization},
    Row{"LeakyRelu", activation},
    Row{"LogSoftmax", softmax},
    Row{"MatMul", matmul},
    Row{"MaxPool", max_pool},
    Row{"Mul", multiply},
    Row{"Pad", pad},
    Row{"ReduceMean", reduce_mean},
    Row{"Relu", activation},
    Row{"Reshape", reshape},
    Row{"Shape", shape},
    Row{"Sigmoid", activation},
    Row{"Slice", slice},
    Row{"Softmax", softmax},
    Row{"SoftmaxCrossEntropyLoss", loss},
    Row{"Squeeze", squeeze},
    Row{"Sub", integer_arithmetic},
    Row{"Sum", sum},
    Row{"Tanh", activation},
    Row{"Transpose", transpose},
    Row{"Unsqueeze", unsqueeze},
};

}  // namespace

Operator find_operator(std::string_view type) {
  const auto found =
      std::find_if(kRows.begin(), kRows.end(), [&](const Row& row) { return row.type == type; });
  return found == kRows.end() ? nullptr : found->act;
}

}  // namespace oracle::onnx
