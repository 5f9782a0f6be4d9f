// A matrix product, of samples and positions alike: channels lie innermost, so a dense layer over
// positions has as many more rows. With x of rows × C and W of F × C:
//   y = x·Wᵀ + b,  dx = dy·W,  dW = dyᵀ·x,  db = Σ dy
// A rectifier behind it is taken along in y alone.

#include "microbench/kernels/gpu/device/products/matrix_product.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/gpu/device/runtime/weights.h"

namespace oracle::gpu {
namespace {

template <class T>
class Dense final : public GpuKernel {
 public:
  Dense(Context& context, const LocalLayer& layer)
      : context_(context),
        name_(layer.layer->name),
        output_(planes_of(layer.output)),
        channels_(layer.inputs[0].channels),
        biased_(layer.layer->weights.size() > 1),
        rectified_(layer.then != nullptr) {}

  void forward(const Call& call) override {
    const GpuWeights& weights = gpu(call.weights);
    if (!forward_) {
      forward_ = product(
          {name_, Pass::forward, {rows(), channels_}, {features(), channels_, true}, biased_});
    }
    forward_->run(gpu(call.inputs[0]).as<T>(), weights.read_by_passes<T>(0),
                  gpu(call.output).as<T>(), false,
                  biased_ ? weights.read_by_passes<T>(1) : nullptr);
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] == nullptr) return;
    if (!data_) {
      data_ = product({name_, Pass::backward_data, {rows(), features()}, {features(), channels_}});
    }
    data_->run(gpu(call.output_gradient).as<T>(), gpu(call.weights).read_by_passes<T>(0),
               gpu(call.input_gradients[0]).as<T>(), false);
  }

  void backward_weights(const Call& call) override {
    GpuWeights& weights = gpu(call.weights);
    const T* dy = gpu(call.output_gradient).as<T>();
    if (!weights_) {
      weights_ =
          product({name_, Pass::backward_weights, {rows(), features(), true}, {rows(), channels_}});
    }
    weights_->run(dy, gpu(call.inputs[0]).as<T>(), weights.gradient<T>(0), weights.accumulates(0));
    weights.wrote(0);
    if (!biased_) return;
    const Block scratch = context_.scratch({1, rows(), features()});
    channel_sums(context_.stream(), scratch.data(), output_, dy, weights.gradient<T>(1),
                 weights.accumulates(1));
    weights.wrote(1);
  }

 private:
  std::int64_t rows() const { return output_.rows(); }
  std::int64_t features() const { return output_.channels; }
  std::unique_ptr<MatrixProduct> product(ProductShape shape) {
    shape.rectified = rectified_ && shape.pass == Pass::forward;
    return std::make_unique<MatrixProduct>(context_, shape);
  }

  Context& context_;
  std::string name_;
  Planes output_;
  std::int64_t channels_;
  bool biased_, rectified_;
  std::unique_ptr<MatrixProduct> forward_, data_, weights_;
};

}  // namespace

std::unique_ptr<Kernel> make_dense(Context& context, const LocalLayer& layer) {
  return kernel_of<Dense>(context, layer);
}

}  // namespace oracle::gpu
