#pragma once
// One forward and one backward per kind; reference.cpp lists them.

#include "tests/microbench/reference/reference.h"

namespace oracle::reference {

Values convolution_forward(const Trial& trial);
Gradients convolution_backward(const Trial& trial);
Values batch_norm_forward(const Trial& trial);
Gradients batch_norm_backward(const Trial& trial);
Values pool_forward(const Trial& trial);
Gradients pool_backward(const Trial& trial);
Values activation_forward(const Trial& trial);
Gradients activation_backward(const Trial& trial);
Values add_forward(const Trial& trial);
Gradients add_backward(const Trial& trial);
Values flatten_forward(const Trial& trial);
Gradients flatten_backward(const Trial& trial);
Values softmax_loss_forward(const Trial& trial);
Gradients softmax_loss_backward(const Trial& trial);
Values layer_norm_forward(const Trial& trial);
Gradients layer_norm_backward(const Trial& trial);
Values local_response_norm_forward(const Trial& trial);
Gradients local_response_norm_backward(const Trial& trial);
Values multiply_forward(const Trial& trial);
Gradients multiply_backward(const Trial& trial);
Values concat_forward(const Trial& trial);
Gradients concat_backward(const Trial& trial);
Values softmax_forward(const Trial& trial);
Gradients softmax_backward(const Trial& trial);
Values matmul_forward(const Trial& trial);
Gradients matmul_backward(const Trial& trial);
Values embedding_forward(const Trial& trial);
Gradients embedding_backward(const Trial& trial);
Values affine_forward(const Trial& trial);
Gradients affine_backward(const Trial& trial);
Values group_norm_forward(const Trial& trial);
Gradients group_norm_backward(const Trial& trial);
Values slice_forward(const Trial& trial);
Gradients slice_backward(const Trial& trial);
Values resize_forward(const Trial& trial);
Gradients resize_backward(const Trial& trial);
Values rms_norm_forward(const Trial& trial);
Gradients rms_norm_backward(const Trial& trial);
Values rotary_forward(const Trial& trial);
Gradients rotary_backward(const Trial& trial);
Values gate_forward(const Trial& trial);
Gradients gate_backward(const Trial& trial);
Values added_rows_forward(const Trial& trial);
Gradients added_rows_backward(const Trial& trial);
Values prepended_rows_forward(const Trial& trial);
Gradients prepended_rows_backward(const Trial& trial);
Values attention_forward(const Trial& trial);
Gradients attention_backward(const Trial& trial);
Values causal_convolution_forward(const Trial& trial);
Gradients causal_convolution_backward(const Trial& trial);
Values linear_attention_forward(const Trial& trial);
Gradients linear_attention_backward(const Trial& trial);
Values head_concat_forward(const Trial& trial);
Gradients head_concat_backward(const Trial& trial);
Values dispatch_forward(const Trial& trial);
Gradients dispatch_backward(const Trial& trial);
Values expert_dense_forward(const Trial& trial);
Gradients expert_dense_backward(const Trial& trial);
Values combine_forward(const Trial& trial);
Gradients combine_backward(const Trial& trial);
Values recurrent_forward(const Trial& trial);
Gradients recurrent_backward(const Trial& trial);
Values mean_squared_loss_forward(const Trial& trial);
Gradients mean_squared_loss_backward(const Trial& trial);

}  // namespace oracle::reference
