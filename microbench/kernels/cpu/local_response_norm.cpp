// y[c] = x[c]·(k + α/n·Σ x[c']²)^−β over the n channels around c: oneDNN's, in the format of the
// input, with PyTorch's constants, of which a layer keeps n alone.

#include <map>
#include <utility>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using dnnl::memory;

constexpr float kAlpha = 1e-4F;
constexpr float kBeta = 0.75F;
constexpr float kBias = 1;

/// The powers that backward needs again.
struct Scales final : Saved {
  MemoryBlock data;
};

class LocalResponseNorm final : public CpuKernel {
 public:
  LocalResponseNorm(Context& context, const LocalLayer& layer)
      : context_(context), rank_(rank_of(*layer.layer)), size_(layer.layer->summed_channels) {
    if (size_ % 2 == 0) {
      throw InputError(
          layer.layer->name,
          "the CPU back end sums an odd number of channels, not " + std::to_string(size_),
          "choose an odd \"size\"");
    }
  }

  std::unique_ptr<Saved> saved() const override { return std::make_unique<Scales>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(x.layout().block);
    const Passes& passes = passes_for(x.layout());
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(passes.format, x.data())},
                        {DNNL_ARG_DST, context_.memory(passes.format, y.data())}};
    Scales unkept;
    auto* saved = dynamic_cast<Scales*>(call.saved);
    MemoryBlock& scales = (saved != nullptr ? *saved : unkept).data;
    const auto bytes = static_cast<std::int64_t>(passes.scales.get_size());
    if (scales.bytes() != bytes) scales = context_.allocator().allocate(bytes);
    if (bytes > 0) {
      arguments.insert({DNNL_ARG_WORKSPACE, context_.memory(passes.scales, scales.data())});
    }
    context_.run(passes.forward, std::move(arguments));
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(x.layout().block);
    dx.rewrite(x.layout().block);
    const Passes& passes = passes_for(x.layout());
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(passes.format, x.data())},
                        {DNNL_ARG_DIFF_DST, context_.memory(passes.format, dy.data())},
                        {DNNL_ARG_DIFF_SRC, context_.memory(passes.format, dx.data())}};
    if (passes.scales.get_size() > 0) {
      const auto* saved = dynamic_cast<const Scales*>(call.saved);
      ensure(saved != nullptr && saved->data.data() != nullptr,
             "a local response norm runs without what its forward pass saved");
      arguments.insert({DNNL_ARG_WORKSPACE, context_.memory(passes.scales, saved->data.data())});
    }
    context_.run(passes.backward, std::move(arguments));
  }

 private:
  struct Passes {
    memory::desc format, scales;
    Primitive forward, backward;
  };

  const Passes& passes_for(const StorageLayout& layout) {
    if (const auto found = passes_.find(layout.block); found != passes_.end()) return found->second;
    const memory::desc format = describe(layout, rank_);
    const auto which = dnnl::algorithm::lrn_across_channels;
    const auto forward = describe_forward<dnnl::lrn_forward>(
        context_, dnnl::prop_kind::forward_training, which, format, size_, kAlpha, kBeta, kBias);
    const auto backward = describe_backward<dnnl::lrn_backward>(
        context_, forward, which, format, format, size_, kAlpha, kBeta, kBias);
    Passes made{format, forward.workspace_desc(), Primitive(forward), Primitive(backward)};
    return passes_.emplace(layout.block, std::move(made)).first->second;
  }

  Context& context_;
  std::size_t rank_;
  std::int64_t size_;
  std::map<std::int64_t, Passes> passes_;  ///< by block
};

}  // namespace

std::unique_ptr<Kernel> make_local_response_norm(Context& context, const LocalLayer& layer) {
  return std::make_unique<LocalResponseNorm>(context, layer);
}

}  // namespace oracle
