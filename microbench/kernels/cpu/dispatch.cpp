// Rows of tokens for their experts: y[r] = x[token of r], zero where no token wants the row
// (microbench/kernels/routing.h). Rows are written in plain order, in which the experts' products
// read them.

#include <algorithm>

#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/routed.h"
#include "microbench/kernels/routing.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

struct RowTokens final : Saved {
  MemoryBlock values;  ///< by sample and row
};

class Dispatch final : public CpuKernel {
 public:
  Dispatch(Context& context, const LocalLayer& layer)
      : context_(context),
        routing_(routing_of(layer)),
        channels_(layer.output.channels),
        block_(CpuTensor::first_block(context, layer.inputs[0])) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<RowTokens>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(1);
    std::int32_t* kept = place_tokens(call, x.extents().samples);
    for (std::int64_t n = 0; n < x.extents().samples; ++n, kept += routing_.rows) {
      const auto tokens = tokens_of_rows(routing_, scores_of(cpu(call.inputs[1]), n));
      std::copy(tokens.begin(), tokens.end(), kept);
      for (std::int64_t c = 0; c < channels_; ++c) {
        const ChannelValues from = channel_of(x, n, c), to = channel_of(y, n, c);
        for (std::int64_t r = 0; r < routing_.rows; ++r) {
          to.first[r] = kept[r] == kNoToken ? 0 : from.at(kept[r]);
        }
      }
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[1] != nullptr) cpu(call.input_gradients[1]).zero();
    if (call.input_gradients[0] == nullptr) return;
    const CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dx.rewrite(block_);
    dx.zero();
    const auto* kept = static_cast<const std::int32_t*>(tokens_of(call).values.data());
    for (std::int64_t n = 0; n < dx.extents().samples; ++n, kept += routing_.rows) {
      for (std::int64_t c = 0; c < channels_; ++c) {
        const ChannelValues from = channel_of(dy, n, c), to = channel_of(dx, n, c);
        for (std::int64_t r = 0; r < routing_.rows; ++r) {
          if (kept[r] != kNoToken) to.at(kept[r]) += from.at(r);
        }
      }
    }
  }

 private:
  static RowTokens& tokens_of(const Call& call) {
    auto* tokens = dynamic_cast<RowTokens*>(call.saved);
    ensure(tokens != nullptr, "a dispatch runs without a place for its tokens");
    return *tokens;
  }

  std::int32_t* place_tokens(const Call& call, std::int64_t samples) {
    MemoryBlock& values = tokens_of(call).values;
    const std::int64_t bytes =
        samples * routing_.rows * static_cast<std::int64_t>(sizeof(std::int32_t));
    if (values.bytes() != bytes) {
      values = MemoryBlock();
      values = context_.allocator().allocate(bytes);
    }
    return static_cast<std::int32_t*>(values.data());
  }

  Context& context_;
  Routing routing_;
  std::int64_t channels_, block_;
};

}  // namespace

std::unique_ptr<Kernel> make_dispatch(Context& context, const LocalLayer& layer) {
  return std::make_unique<Dispatch>(context, layer);
}

}  // namespace oracle
