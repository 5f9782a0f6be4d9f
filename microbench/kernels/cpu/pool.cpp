// Pooling over a window: oneDNN's, in the format of the input. The places of the maxima are kept
// for the backward pass; without them (another kernel ran forward) they are found again.

#include <map>
#include <utility>

#include "microbench/kernels/cpu/format.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "microbench/kernels/cpu/windowed.h"

namespace oracle {
namespace {

using dnnl::memory;

/// Where each maximum lay, in the block that forward met.
struct Places final : Saved {
  MemoryBlock data;
  memory::desc format;
  std::int64_t block = 0;
};

class Pool final : public CpuKernel {
 public:
  Pool(Context& context, const LocalLayer& layer)
      : context_(context),
        max_(layer.layer->variant == "max"),
        rank_(rank_of(*layer.layer)),
        sliding_(slide_over(layer, layer.inputs[0], layer.output)),
        output_(layer.output),
        block_(CpuTensor::first_block(context, layer.inputs[0])) {}

  std::unique_ptr<Saved> saved() const override {
    return max_ ? std::make_unique<Places>() : nullptr;
  }

  void forward(const Call& call) override {
    CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    block_ = x.layout().block;
    y.rewrite(block_);
    Places unkept;
    auto* saved = dynamic_cast<Places*>(call.saved);
    run_forward(x, y, saved != nullptr ? *saved : unkept);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    Places found;
    auto* places = dynamic_cast<Places*>(call.saved);
    if (max_ && (places == nullptr || places->format != passes_for(places->block).places)) {
      CpuTensor& x = cpu(call.inputs[0]);
      CpuTensor again(context_, output_);
      again.rewrite(x.layout().block);
      run_forward(x, again, found);
      places = &found;
    }
    if (max_) block_ = places->block;
    const Passes& passes = passes_for(block_);
    CpuTensor& dy = cpu(call.output_gradient);
    dy.convert(block_);
    CpuTensor& whole = cpu(call.input_gradients[0]);
    std::unique_ptr<CpuTensor> part;
    CpuTensor& dx = part_to_write(context_, sliding_, whole, block_, part);
    Arguments arguments{{DNNL_ARG_DIFF_DST, context_.memory(passes.y, dy.data())},
                        {DNNL_ARG_DIFF_SRC, context_.memory(passes.x, dx.data())}};
    if (max_) {
      arguments.insert({DNNL_ARG_WORKSPACE, context_.memory(passes.places, places->data.data())});
    }
    context_.run(passes.backward, std::move(arguments));
    put_back(sliding_, whole, part);
  }

 private:
  struct Passes {
    memory::desc x, y, places;
    Primitive forward, backward;
  };

  void run_forward(CpuTensor& whole, const CpuTensor& y, Places& places) {
    const std::int64_t block = whole.layout().block;
    const Passes& passes = passes_for(block);
    std::unique_ptr<CpuTensor> part;
    const CpuTensor& x = part_to_read(context_, sliding_, whole, block, part);
    Arguments arguments{{DNNL_ARG_SRC, context_.memory(passes.x, x.data())},
                        {DNNL_ARG_DST, context_.memory(passes.y, y.data())}};
    if (max_) {
      const auto bytes = static_cast<std::int64_t>(passes.places.get_size());
      if (places.data.bytes() != bytes) places.data = context_.allocator().allocate(bytes);
      places.format = passes.places;
      places.block = block;
      arguments.insert({DNNL_ARG_WORKSPACE, context_.memory(passes.places, places.data.data())});
    }
    context_.run(passes.forward, std::move(arguments));
  }

  const Passes& passes_for(std::int64_t block) {
    if (const auto found = passes_.find(block); found != passes_.end()) return found->second;
    const Sliding& s = sliding_;
    const auto which =
        max_ ? dnnl::algorithm::pooling_max : dnnl::algorithm::pooling_avg_exclude_padding;
    const memory::desc x = describe(StorageLayout{s.part.size, block}, rank_);
    const memory::desc y = describe(StorageLayout{output_, block}, rank_);
    const auto forward = describe_forward<dnnl::pooling_v2_forward>(
        context_, dnnl::prop_kind::forward_training, which, x, y, s.stride, s.kernel, s.dilation,
        s.pad_before, s.pad_after);
    const auto backward = describe_backward<dnnl::pooling_v2_backward>(
        context_, forward, which, x, y, s.stride, s.kernel, s.dilation, s.pad_before, s.pad_after);
    Passes made{x, y, forward.workspace_desc(), Primitive(forward), Primitive(backward)};
    return passes_.emplace(block, std::move(made)).first->second;
  }

  Context& context_;
  bool max_;
  std::size_t rank_;
  Sliding sliding_;
  Extents output_;
  std::int64_t block_;  ///< of the input in the last forward pass
  std::map<std::int64_t, Passes> passes_;
};

}  // namespace

std::unique_ptr<Kernel> make_pool(Context& context, const LocalLayer& layer) {
  const Layer& whole = *layer.layer;
  if (whole.window == Window{}) return make_view(context, layer);
  if (whole.reach == Reach::global) return make_global_mean(context, layer);
  return std::make_unique<Pool>(context, layer);
}

}  // namespace oracle
