// Resampling to other extents. Which positions read which is the same on every back end
// (../../resampling.h); the tables of it are made once and lie in the device's memory.

#include "microbench/kernels/gpu/device/movement/resample.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

/// Of reads that go forward along the input.
std::vector<Readers> readers_of(const Reads& reads, std::int64_t in) {
  std::vector<Readers> readers(static_cast<std::size_t>(in));
  const auto note = [&](std::int64_t i, float share, std::int64_t o) {
    if (share == 0) return;
    Readers& of = readers[static_cast<std::size_t>(i)];
    if (of.begin == of.end) of.begin = o;
    of.end = o + 1;
  };
  for (std::size_t o = 0; o < reads.size(); ++o) {
    note(reads[o].first, reads[o].of_first, static_cast<std::int64_t>(o));
    note(reads[o].second, reads[o].of_second, static_cast<std::int64_t>(o));
  }
  return readers;
}

template <class T>
class Resize final : public GpuKernel {
 public:
  Resize(Context& context, const LocalLayer& layer) : context_(context) {
    const Extents& x = layer.inputs[0];
    const Extents& y = layer.output;
    resampling_.input = x;
    resampling_.output = y;
    const std::array in = {x.depth, x.height, x.width};
    const std::array out = {y.depth, y.height, y.width};
    for (std::size_t axis = 0; axis < in.size(); ++axis) {
      const Reads reads = reads_along(layer, axis, in[axis], out[axis]);
      resampling_.reads[axis] = uploaded(reads);
      resampling_.readers[axis] = uploaded(readers_of(reads, in[axis]));
    }
  }

  void forward(const Call& call) override {
    resample(context_.stream(), resampling_, gpu(call.inputs[0]).as<T>(), gpu(call.output).as<T>());
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    resample_backward(context_.stream(), resampling_, gpu(call.output_gradient).as<T>(),
                      gpu(call.input_gradients[0]).as<T>());
  }

 private:
  template <class Row>
  const Row* uploaded(const std::vector<Row>& table) {
    const auto bytes = static_cast<std::int64_t>(table.size() * sizeof(Row));
    tables_.push_back(context_.allocate(bytes));
    context_.copy(tables_.back().data(), table.data(), bytes);
    return tables_.back().as<Row>();
  }

  Context& context_;
  std::vector<Block> tables_;
  Resampling resampling_;
};

}  // namespace

std::unique_ptr<Kernel> make_resize(Context& context, const LocalLayer& layer) {
  if (layer.layer->in_place) return make_view(context, layer);
  return kernel_of<Resize>(context, layer);
}

}  // namespace oracle::gpu
