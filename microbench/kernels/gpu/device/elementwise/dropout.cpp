// Dropout: y = m·x/(1 − rate) with a mask drawn again each step, one byte per element. A value's
// fate hangs on the step's seed, the layer's name and its index in the whole mini-batch, as on the
// CPU: the same values are dropped.

#include "microbench/kernels/gpu/device/elementwise/elementwise.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "oracle/base/error.h"

namespace oracle::gpu {
namespace {

/// One over what is kept: a rate of 1/2, PyTorch's and the networks'.
constexpr float kScale = 2;

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

struct Mask final : Saved {
  Block bytes;
  const std::uint8_t* data() const { return static_cast<const std::uint8_t*>(bytes.data()); }
};

template <class T>
class Dropout final : public GpuKernel {
 public:
  Dropout(Context& context, const LocalLayer& layer)
      : context_(context),
        name_hash_(hash_of(layer.layer->name)),
        place_{layer.output, layer.place, layer.whole} {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<Mask>(); }

  void forward(const Call& call) override {
    Mask& mask = mask_of(call);
    const std::int64_t count = place_.own.elements();
    if (mask.bytes.bytes() != count) {
      mask.bytes = Block();
      mask.bytes = context_.allocate(count);
    }
    draw_mask(context_.stream(), place_, context_.step().seed(call.seed), call.layer, name_hash_,
              static_cast<std::uint8_t*>(mask.bytes.data()));
    apply_mask(context_.stream(), mask.data(), kScale, gpu(call.inputs[0]).as<T>(),
               gpu(call.output).as<T>(), count);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    apply_mask(context_.stream(), mask_of(call).data(), kScale, gpu(call.output_gradient).as<T>(),
               gpu(call.input_gradients[0]).as<T>(), place_.own.elements());
  }

 private:
  static Mask& mask_of(const Call& call) {
    auto* mask = dynamic_cast<Mask*>(call.saved);
    ensure(mask != nullptr, "dropout runs without a place for its mask");
    return *mask;
  }

  Context& context_;
  std::uint64_t name_hash_;
  Place place_;
};

}  // namespace

std::unique_ptr<Kernel> make_dropout(Context& context, const LocalLayer& layer) {
  return kernel_of<Dropout>(context, layer);
}

}  // namespace oracle::gpu
