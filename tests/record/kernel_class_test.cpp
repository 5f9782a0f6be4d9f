#include "oracle/record/kernel_class.h"

#include <gtest/gtest.h>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace kernel_class_test {

TEST(KernelClass, TheHostsOperationComesBeforeTheName) {
  using enum KernelClass;
  const auto of = [](const char* kernel, const char* host) {
    return class_of_kernel(kernel, host, false);
  };
  EXPECT_EQ(of("sm80_xmma_gemm_f32f32_tf32f32", "aten::cudnn_convolution"), convolution);
  EXPECT_EQ(of("sm80_xmma_gemm_f32f32_tf32f32", "aten::addmm"), product);
  EXPECT_EQ(of("sm80_xmma_gemm_f32f32_tf32f32", ""), product);
  EXPECT_EQ(of("sm80_xmma_wgrad_implicit_gemm_indexed_tf32f32", ""), convolution);
  EXPECT_EQ(of("void cudnn::bn_bw_1C11_kernel_new<float>", ""), normalization);
  EXPECT_EQ(of("void pytorch_flash::flash_fwd_kernel<Flash_fwd_kernel_traits<64>>",
               "aten::_flash_attention_forward"),
            attention);
  EXPECT_EQ(of("void flash_bwd_dq_dk_dv_loop_kernel<64>", "FlashAttnFuncBackward"), attention);
  EXPECT_EQ(of("void at::native::reduce_kernel<512, 1>", "aten::sum"), elementwise);
  EXPECT_EQ(of("some_kernel", "aten::nll_loss_forward"), elementwise);
  EXPECT_EQ(of("void at::native::max_pool_forward_nchw", "aten::max_pool2d_with_indices"), pool);
  EXPECT_EQ(of("indexSelectLargeIndex", "aten::embedding"), embedding);
  EXPECT_EQ(of("nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNT", ""), product);
  EXPECT_EQ(of("multi_tensor_apply_kernel", "aten::_fused_adam_"), optimizer);
  EXPECT_EQ(of("RNN_blockPersist_fp_LSTM", "aten::_cudnn_rnn"), recurrent);
  // The norm of a vector is no normalization of a layer.
  EXPECT_EQ(of("reduce_kernel", "aten::linalg_vector_norm"), elementwise);
  EXPECT_EQ(of("my_own_kernel", ""), unknown);
  EXPECT_EQ(of("my_own_kernel", "mylib::op"), unknown);
}

TEST(KernelClass, WithinTheOptimizerAllButNcclIsTheUpdate) {
  EXPECT_EQ(class_of_kernel("elementwise_kernel", "aten::mul_", true), KernelClass::optimizer);
  EXPECT_EQ(class_of_kernel("ncclDevKernel_AllGather_RING_LL", "record_param_comms", true),
            KernelClass::communication);
}

TEST(KernelClass, EveryKindOfLayerHasAClass) {
  for (const Kind* kind : all_kinds()) {
    const KernelClass of = class_of_layer(kind->name);
    EXPECT_EQ(of == KernelClass::unknown, kind->name == "opaque") << kind->name;
    EXPECT_EQ(of == KernelClass::normalization, kind->name.ends_with("norm")) << kind->name;
  }
  EXPECT_EQ(class_of_layer("dense"), KernelClass::product);
  EXPECT_EQ(class_of_layer("softmax_loss"), KernelClass::elementwise);
}

TEST(KernelClass, CollectivesOfBothSidesHaveOneName) {
  EXPECT_EQ(collective_named("allreduce_coalesced"), "all_reduce");
  EXPECT_EQ(collective_named("_allgather_base"), "all_gather");
  EXPECT_EQ(collective_named("_reduce_scatter_base"), "reduce_scatter");
  EXPECT_EQ(collective_named("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL"), "reduce_scatter");
  EXPECT_EQ(collective_named("ncclDevKernel_Reduce_Sum_f32_RING_LL"), "reduce");
  EXPECT_EQ(collective_named("all_to_allv"), "all_to_all");
  EXPECT_EQ(collective_named("ring_pass"), "send_receive");
  EXPECT_EQ(collective_named("quantize"), "");
}

}  // namespace kernel_class_test
}  // namespace oracle
