#include <array>

#include "microbench/kernels/gpu/device/runtime/kernels.h"

namespace oracle::gpu {

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
      KernelRow{"layer_norm", make_sample_norm},
      KernelRow{"local_response_norm", make_local_response_norm},
      KernelRow{"multiply", make_multiply},
      KernelRow{"concat", make_concat},
      KernelRow{"dropout", make_dropout},
      KernelRow{"softmax", make_softmax},
      KernelRow{"matmul", make_matmul},
      KernelRow{"embedding", make_embedding},
      KernelRow{"affine", make_affine},
      KernelRow{"group_norm", make_sample_norm},
      KernelRow{"slice", make_slice},
      KernelRow{"reshape", make_view},
      KernelRow{"resize", make_resize},
      KernelRow{"softmax_loss", make_softmax_loss},
      KernelRow{"mean_squared_loss", make_mean_squared_loss},
  };
  return kRows;
}

}  // namespace oracle::gpu
