#pragma once
// Which kind of work is a recorded kernel, and which is a predicted layer?
//
// Both sides name their work differently; classes are as fine as both can tell. A kernel's class
// follows, first match wins, from
//
//   1. its own name, where NCCL's or RCCL's
//   2. the optimizer's mark, where it was launched inside one
//   3. the operation of the host that launched it: aten::addmm is a product
//   4. its own name: "…gemm…" is a product, "…wgrad…" a convolution
//   5. "aten::": element-wise, which holds softmax, losses, sums and copies within the GPU too
//
// Worked: a kernel "sm80_xmma_gemm_f32" of aten::cudnn_convolution is a convolution
//                                                              tests/record/kernel_class_test.cpp

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace oracle {

enum class KernelClass : std::uint8_t {
  product,
  convolution,
  attention,
  normalization,
  recurrent,
  pool,
  embedding,
  elementwise,
  optimizer,
  unknown,
  communication,
  copy
};
inline constexpr std::size_t kKernelClassCount = 12;
std::string_view name_of(KernelClass of);

/// `host` is the operation that launched it; empty where it is not known.
KernelClass class_of_kernel(std::string_view kernel, std::string_view host, bool in_update);

/// Of a layer of that kind (graph/kinds); what no row names is element-wise.
KernelClass class_of_layer(std::string_view kind);

/// "all_reduce" of "allreduce", "ncclDevKernel_AllReduce_Sum_f32_RING_LL"; messages of any kind are
/// "send_receive". Empty for what is none.
std::string_view collective_named(std::string_view name);

}  // namespace oracle
