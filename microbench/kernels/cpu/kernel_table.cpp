#include <array>

#include "microbench/kernels/cpu/kernels.h"

namespace oracle {

std::span<const KernelRow> all_kernels() {
  static constexpr std::array kRows = {
      KernelRow{"convolution", make_convolution},
      KernelRow{"transposed_convolution", make_convolution},
      KernelRow{"dense", make_dense},
      KernelRow{"batch_norm", make_batch_norm},
      KernelRow{"pool", make_pool},
      KernelRow{"adaptive_pool", make_pool},
      KernelRow{"activation", make_activation},
      KernelRow{"add", make_add},
      KernelRow{"flatten", make_view},
      KernelRow{"layer_norm", make_layer_norm},
      KernelRow{"local_response_norm", make_local_response_norm},
      KernelRow{"multiply", make_multiply},
      KernelRow{"concat", make_concat},
      KernelRow{"dropout", make_dropout},
      KernelRow{"softmax", make_softmax},
      KernelRow{"matmul", make_matmul},
      KernelRow{"embedding", make_embedding},
      KernelRow{"affine", make_affine},
      KernelRow{"group_norm", make_group_norm},
      KernelRow{"slice", make_slice},
      KernelRow{"reshape", make_view},
      KernelRow{"resize", make_resize},
      KernelRow{"rms_norm", make_rms_norm},
      KernelRow{"rotary", make_rotary},
      KernelRow{"gate", make_gate},
      KernelRow{"added_rows", make_added_rows},
      KernelRow{"prepended_rows", make_prepended_rows},
      KernelRow{"attention", make_attention},
      KernelRow{"causal_convolution", make_causal_convolution},
      KernelRow{"linear_attention", make_linear_attention},
      KernelRow{"head_concat", make_head_concat},
      KernelRow{"dispatch", make_dispatch},
      KernelRow{"expert_dense", make_expert_dense},
      KernelRow{"combine", make_combine},
      KernelRow{"recurrent", make_recurrent},
      KernelRow{"softmax_loss", make_softmax_loss},
      KernelRow{"mean_squared_loss", make_mean_squared_loss},
  };
  return kRows;
}

}  // namespace oracle
