#pragma once
// Which kernels of the processor are there? One function per file of this folder; kernel_table.cpp
// lists them by layer kind.

#include <memory>
#include <span>
#include <string_view>

#include "microbench/kernels/cpu/context.h"
#include "microbench/kernels/kernel.h"

namespace oracle {

/// Added to what normalizations of a sample take the root of.
inline constexpr double kNormEpsilon = 1e-5;

/// A kernel with nothing to keep, no weights and no statistics, where it does not say otherwise.
class CpuKernel : public Kernel {
 public:
  std::unique_ptr<Saved> saved() const override { return nullptr; }
  void backward_weights(const Call&) override {}
  std::vector<float> statistics(const Call&, Pass) override { return {}; }
};

std::unique_ptr<Kernel> make_convolution(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_dense(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_batch_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_pool(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_activation(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_relu6(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_squared_relu(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_hard_sigmoid(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_linear(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_add(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_view(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_global_mean(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_softmax_loss(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_softmax_loss_part(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_layer_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_local_response_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_multiply(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_position_gate(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_concat(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_dropout(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_softmax(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_matmul(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_embedding(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_affine(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_group_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_slice(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_resize(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_rms_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_rotary(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_gate(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_added_rows(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_prepended_rows(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_attention(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_causal_convolution(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_linear_attention(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_head_concat(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_dispatch(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_expert_dense(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_combine(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_recurrent(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_mean_squared_loss(Context& context, const LocalLayer& layer);

struct KernelRow {
  std::string_view kind;
  std::unique_ptr<Kernel> (*make)(Context& context, const LocalLayer& layer);
};

std::span<const KernelRow> all_kernels();

}  // namespace oracle
