// Dropout: y = m·x/(1 − rate) with a mask drawn again each step, one byte per element. A value's
// fate hangs on the step's seed, the layer's name and its index in the whole mini-batch, so no cut
// changes it. The hash is the finalizer of SplitMix64 (Steele, Lea & Flood, OOPSLA 2014).

#include <string_view>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "oracle/base/error.h"
#include "oracle/base/hash.h"

namespace oracle {
namespace {

/// PyTorch's and the networks'; a layer keeps none.
constexpr double kRate = 0.5;
constexpr float kScale = static_cast<float>(1 / (1 - kRate));

/// FNV-1a.
std::uint64_t hash_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char letter : text) {
    hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  }
  return hash;
}

bool is_kept(std::uint64_t key, std::int64_t index) {
  const std::uint64_t bits = mixed(key ^ mixed(static_cast<std::uint64_t>(index)));
  return static_cast<double>(bits >> 11) * 0x1p-53 >= kRate;
}

/// A byte for each stored value, in the block that forward met.
struct Mask final : Saved {
  MemoryBlock bytes;
  std::int64_t block = 0;
};

class Dropout final : public CpuKernel {
 public:
  Dropout(Context& context, const LocalLayer& layer)
      : context_(context), name_hash_(hash_of(layer.layer->name)), layer_(layer) {}

  std::unique_ptr<Saved> saved() const override { return std::make_unique<Mask>(); }

  void forward(const Call& call) override {
    const CpuTensor& x = cpu(call.inputs[0]);
    CpuTensor& y = cpu(call.output);
    const StorageLayout layout = x.layout();
    if (&x != &y) y.rewrite(layout.block);
    Mask& mask = mask_of(call);
    if (mask.bytes.bytes() != layout.stored()) {
      mask.bytes = MemoryBlock();
      mask.bytes = context_.allocator().allocate(layout.stored());
    }
    mask.block = layout.block;
    const std::uint64_t key = mixed(mixed(call.seed ^ call.layer) ^ name_hash_);
    draw(layout, key, static_cast<std::uint8_t*>(mask.bytes.data()));
    apply(mask, layout.stored(), x.data(), y.data());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const Mask& mask = mask_of(call);
    CpuTensor& dy = cpu(call.output_gradient);
    CpuTensor& dx = cpu(call.input_gradients[0]);
    dy.convert(mask.block);
    if (&dx != &dy) dx.rewrite(mask.block);
    apply(mask, dy.layout().stored(), dy.data(), dx.data());
  }

 private:
  static Mask& mask_of(const Call& call) {
    auto* mask = dynamic_cast<Mask*>(call.saved);
    ensure(mask != nullptr, "dropout runs without a place for its mask");
    return *mask;
  }

  static void apply(const Mask& mask, std::int64_t count, const float* from, float* to) {
    const auto* bytes = static_cast<const std::uint8_t*>(mask.bytes.data());
    for (std::int64_t i = 0; i < count; ++i) {
      to[i] = from[i] * (kScale * static_cast<float>(bytes[i]));
    }
  }

  void draw(const StorageLayout& layout, std::uint64_t key, std::uint8_t* mask) const {
    const Extents& own = layout.extents;
    const Extents &place = layer_.place, &whole = layer_.whole;
    const std::int64_t step = whole.depth * whole.height * whole.width;
    for_each_run(layout, [&](std::int64_t offset, std::int64_t count, std::int64_t sample,
                             std::int64_t first, std::int64_t position) {
      const std::int64_t w = layer_.position(position % own.width);
      const std::int64_t h = place.height + position / own.width % own.height;
      const std::int64_t d = place.depth + position / (own.width * own.height);
      const std::int64_t channel =
          (place.samples + sample) * whole.channels + place.channels + first;
      const std::int64_t index = channel * step + (d * whole.height + h) * whole.width + w;
      for (std::int64_t lane = 0; lane < layout.block; ++lane) {
        mask[offset + lane] = lane < count && is_kept(key, index + lane * step) ? 1 : 0;
      }
    });
  }

  Context& context_;
  std::uint64_t name_hash_;
  LocalLayer layer_;
};

}  // namespace

std::unique_ptr<Kernel> make_dropout(Context& context, const LocalLayer& layer) {
  return std::make_unique<Dropout>(context, layer);
}

}  // namespace oracle
