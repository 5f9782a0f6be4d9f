#include "tests/microbench/reference/reference.h"

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "oracle/graph/kinds/kind.h"
#include "tests/microbench/reference/kinds.h"

namespace oracle::reference {
namespace {

struct Row {
  std::string_view kind;
  Values (*forward)(const Trial& trial);
  Gradients (*backward)(const Trial& trial);
};

constexpr Row kRows[] = {
    {"convolution", convolution_forward, convolution_backward},
    {"transposed_convolution", convolution_forward, convolution_backward},
    {"dense", convolution_forward, convolution_backward},
    {"batch_norm", batch_norm_forward, batch_norm_backward},
    {"pool", pool_forward, pool_backward},
    {"adaptive_pool", pool_forward, pool_backward},
    {"activation", activation_forward, activation_backward},
    {"add", add_forward, add_backward},
    {"flatten", flatten_forward, flatten_backward},
    {"softmax_loss", softmax_loss_forward, softmax_loss_backward},
    {"layer_norm", layer_norm_forward, layer_norm_backward},
    {"local_response_norm", local_response_norm_forward, local_response_norm_backward},
    {"multiply", multiply_forward, multiply_backward},
    {"concat", concat_forward, concat_backward},
    {"softmax", softmax_forward, softmax_backward},
    {"matmul", matmul_forward, matmul_backward},
    {"embedding", embedding_forward, embedding_backward},
    {"affine", affine_forward, affine_backward},
    {"group_norm", group_norm_forward, group_norm_backward},
    {"slice", slice_forward, slice_backward},
    {"reshape", flatten_forward, flatten_backward},
    {"resize", resize_forward, resize_backward},
    {"rms_norm", rms_norm_forward, rms_norm_backward},
    {"rotary", rotary_forward, rotary_backward},
    {"gate", gate_forward, gate_backward},
    {"added_rows", added_rows_forward, added_rows_backward},
    {"prepended_rows", prepended_rows_forward, prepended_rows_backward},
    {"attention", attention_forward, attention_backward},
    {"causal_convolution", causal_convolution_forward, causal_convolution_backward},
    {"linear_attention", linear_attention_forward, linear_attention_backward},
    {"head_concat", head_concat_forward, head_concat_backward},
    {"dispatch", dispatch_forward, dispatch_backward},
    {"expert_dense", expert_dense_forward, expert_dense_backward},
    {"combine", combine_forward, combine_backward},
    {"recurrent", recurrent_forward, recurrent_backward},
    {"mean_squared_loss", mean_squared_loss_forward, mean_squared_loss_backward},
};

const Row& row_of(const Trial& trial) {
  for (const Row& row : kRows) {
    if (row.kind == trial.layer.layer->kind->name) return row;
  }
  throw std::logic_error("no reference of this kind");
}

double objective(const Trial& trial) {
  const Values y = forward(trial);
  double sum = 0;
  for (std::size_t i = 0; i < y.of.size(); ++i) {
    const bool loss = trial.layer.layer->kind->is_loss;
    sum += y.of[i] * (loss ? trial.gradient_scale : trial.output_gradient.of[i]);
  }
  return sum;
}

/// Inputs without a gradient.
std::size_t targets_of(const Trial& trial) { return trial.layer.layer->kind->is_loss ? 1 : 0; }

void differences(Trial& trial, std::vector<double>& values, double step,
                 std::vector<double>& slopes) {
  for (const std::size_t i : samples_of(values.size())) {
    const double kept = values[i];
    values[i] = kept + step;
    const double above = objective(trial);
    values[i] = kept - step;
    const double below = objective(trial);
    values[i] = kept;
    slopes[i] = (above - below) / (2 * step);
  }
}

}  // namespace

std::vector<std::size_t> samples_of(std::size_t count) {
  constexpr std::size_t kMost = 30;
  // Odd, so that samples do not all lie in one column.
  const std::size_t stride = count / kMost | 1;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < count; i += stride) indices.push_back(i);
  return indices;
}

Values forward(const Trial& trial) {
  Values y = row_of(trial).forward(trial);
  if (trial.layer.then == nullptr) return y;
  for (double& value : y.of) value = std::max(value, 0.0);
  return y;
}

Gradients backward(const Trial& trial) {
  if (!trial.layer.then_backward) return row_of(trial).backward(trial);
  Trial of_the_layer = trial;
  const Values y = forward(trial);
  for (std::size_t i = 0; i < y.of.size(); ++i) {
    if (y.of[i] == 0) of_the_layer.output_gradient.of[i] = 0;
  }
  return row_of(trial).backward(of_the_layer);
}

Gradients zero_gradients(const Trial& trial) {
  Gradients gradients;
  for (const Values& input : trial.inputs) gradients.inputs.emplace_back(input.extents);
  for (const auto& weight : trial.weights) gradients.weights.emplace_back(weight.size());
  return gradients;
}

Gradients finite_differences(const Trial& trial, double step) {
  Trial moved = trial;
  Gradients slopes = zero_gradients(trial);
  for (std::size_t i = 0; i < moved.inputs.size() - targets_of(trial); ++i) {
    differences(moved, moved.inputs[i].of, step, slopes.inputs[i].of);
  }
  for (std::size_t i = 0; i < moved.weights.size(); ++i) {
    differences(moved, moved.weights[i], step, slopes.weights[i]);
  }
  return slopes;
}

}  // namespace oracle::reference
