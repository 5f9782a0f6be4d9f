// Convolutions and transposed ones, of 1 to 3 axes, grouped, strided, dilated: cuDNN's. Where a
// piece's window is none of cuDNN's, the wide tensor is a copy with zeros around (geometry.h). A
// rectifier behind it is taken along in forward, by cuDNN or with the bias (fused.h).

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/products/correlation.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"

namespace oracle::gpu {
namespace {

const Extents& wide_extents(const LocalLayer& layer) {
  return layer.layer->transposed ? layer.output : layer.inputs[0];
}
const Extents& narrow_extents(const LocalLayer& layer) {
  return layer.layer->transposed ? layer.inputs[0] : layer.output;
}

template <class T>
class Convolution final : public GpuKernel {
 public:
  Convolution(Context& context, const LocalLayer& layer)
      : context_(context),
        transposed_(layer.layer->transposed),
        biased_(layer.layer->weights.size() > 1),
        rectified_(layer.then != nullptr),
        output_(planes_of(layer.output)),
        wide_(wide_extents(layer)),
        geometry_(slide_over(layer, wide_extents(layer), narrow_extents(layer))),
        filter_(filter_shape(layer)),
        correlation_(context, {layer.layer->name, transposed_, geometry_, narrow_extents(layer),
                               filter_, static_cast<int>(layer.groups), rectified_}) {
    if (!rectified_ || biased_) return;
    no_bias_ = context.values(output_.channels);
    context.zero(no_bias_.data(), no_bias_.bytes());
  }

  void forward(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const GpuTensor& y = gpu(call.output);
    const GpuWeights& weights = gpu(call.weights);
    const T* bias = biased_ ? weights.read_by_passes<T>(1) : no_bias_.as<T>();
    bool complete = false;
    if (transposed_) {
      write_wide(x, weights.read_by_passes<T>(0), y);
    } else {
      complete = write_narrow(x, weights.read_by_passes<T>(0), y, bias);
    }
    if (bias == nullptr || complete) return;
    add_bias(context_.stream(), output_, bias, y.as<T>(), rectified_);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    const GpuTensor& dy = gpu(call.output_gradient);
    const GpuTensor& dx = gpu(call.input_gradients[0]);
    const T* filter = gpu(call.weights).read_by_passes<T>(0);
    if (transposed_) {
      write_narrow(dy, filter, dx);
    } else {
      write_wide(dy, filter, dx);
    }
  }

  void backward_weights(const Call& call) override {
    const GpuTensor& x = gpu(call.inputs[0]);
    const GpuTensor& dy = gpu(call.output_gradient);
    GpuWeights& weights = gpu(call.weights);
    write_filter(transposed_ ? dy : x, transposed_ ? x : dy, weights);
    if (!biased_) return;
    const Block scratch = context_.scratch({1, output_.rows(), output_.channels});
    channel_sums(context_.stream(), scratch.data(), output_, dy.as<T>(), weights.gradient<T>(1),
                 weights.accumulates(1));
    weights.wrote(1);
  }

 private:
  /// The wide operand as cuDNN reads it; a copy lives in `copy`.
  const T* wide_read(const GpuTensor& wide, Block& copy) {
    if (geometry_.whole) return wide.as<T>();
    copy = context_.values(geometry_.wide.elements());
    context_.zero(copy.data(), copy.bytes());
    copy_box(context_.stream(), wide.as<T>(), wide_, geometry_.part, copy.as<T>(), geometry_.wide,
             geometry_.place);
    return copy.as<T>();
  }

  /// Whether bias and rectifier are in what was written.
  bool write_narrow(const GpuTensor& wide, const T* filter, const GpuTensor& narrow,
                    const T* bias = nullptr) {
    Block copy;
    return correlation_.narrow_of(wide_read(wide, copy), filter, narrow.as<T>(), bias);
  }

  /// What no window reads gets zeros.
  void write_wide(const GpuTensor& narrow, const T* filter, const GpuTensor& wide) {
    if (geometry_.whole) return correlation_.wide_of(narrow.as<T>(), filter, wide.as<T>());
    const Block copy = context_.values(geometry_.wide.elements());
    correlation_.wide_of(narrow.as<T>(), filter, copy.as<T>());
    context_.zero(wide.data(), wide.bytes());
    copy_box(context_.stream(), copy.as<T>(), geometry_.wide,
             Box{geometry_.place, geometry_.part.size}, wide.as<T>(), wide_, geometry_.part.begin);
  }

  void write_filter(const GpuTensor& wide, const GpuTensor& narrow, GpuWeights& weights) {
    Block copy;
    const T* read = wide_read(wide, copy);
    if (!weights.accumulates(0)) {
      correlation_.filter_of(read, narrow.as<T>(), weights.gradient<T>(0));
    } else {
      const Block sum = context_.values(filter_.elements());
      correlation_.filter_of(read, narrow.as<T>(), sum.as<T>());
      store(context_.stream(), sum.as<T>(), weights.gradient<T>(0), filter_.elements(), true);
    }
    weights.wrote(0);
  }

  Context& context_;
  bool transposed_, biased_, rectified_;
  Block no_bias_;  ///< zeros, where cuDNN wants a bias to rectify and the layer has none
  Planes output_;
  Extents wide_;
  Geometry geometry_;
  FilterShape filter_;
  Correlation correlation_;
};

}  // namespace

std::unique_ptr<Kernel> make_convolution(Context& context, const LocalLayer& layer) {
  return kernel_of<Convolution>(context, layer);
}

}  // namespace oracle::gpu
