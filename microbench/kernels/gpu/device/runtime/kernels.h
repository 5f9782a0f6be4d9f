#pragma once
// Which kernels of the GPU are there? One function per file of this folder; kernel_table.cpp lists
// them by layer kind.

#include <memory>
#include <span>
#include <string_view>

#include "microbench/kernels/gpu/device/runtime/context.h"
#include "microbench/kernels/kernel.h"

namespace oracle::gpu {

/// A kernel with nothing to keep, no weights and no statistics, where it does not say otherwise.
class GpuKernel : public Kernel {
 public:
  std::unique_ptr<Saved> saved() const override { return nullptr; }
  void backward_weights(const Call&) override {}
  std::vector<float> statistics(const Call&, Pass) override { return {}; }
};

/// A kernel for the type of the back end's values.
template <template <class> class Of>
std::unique_ptr<Kernel> kernel_of(Context& context, const LocalLayer& layer) {
  return with_type(context.element(), [&](auto type) -> std::unique_ptr<Kernel> {
    return std::make_unique<Of<typename decltype(type)::Of>>(context, layer);
  });
}

std::unique_ptr<Kernel> make_convolution(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_dense(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_batch_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_pool(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_activation(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_add(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_view(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_global_mean(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_softmax_loss(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_sample_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_local_response_norm(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_multiply(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_concat(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_dropout(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_softmax(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_matmul(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_embedding(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_affine(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_slice(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_resize(Context& context, const LocalLayer& layer);
std::unique_ptr<Kernel> make_mean_squared_loss(Context& context, const LocalLayer& layer);

struct KernelRow {
  std::string_view kind;
  std::unique_ptr<Kernel> (*make)(Context& context, const LocalLayer& layer);
};

std::span<const KernelRow> all_kernels();

}  // namespace oracle::gpu
