// The product of two activations, y[p, g, n] = Σ_k a[p, g, k] · b[g, k, n], by oneDNN. In plain
// memory the positions of a tensor lie innermost, so each sample and group is one product of
// matrices Y = W·A with A [k, p], Y [n, p] and W [n, k], which is b as it lies or turned; its
// gradients are dA = Wᵀ·dY and dW = dY·Aᵀ.

#include <optional>
#include <vector>

#include "microbench/kernels/cpu/batched_product.h"
#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/product_parts.h"

namespace oracle {
namespace {

/// The products of one segment: of all samples at once where it is all there is.
struct BoundProduct {
  Segment segment;
  std::int64_t samples = 1;  ///< one after the other
  std::optional<BatchedProduct> forward, left, right;
};

class Matmul final : public CpuKernel {
 public:
  Matmul(Context& context, const LocalLayer& layer)
      : context_(context), part_(product_part(layer)) {
    for (const Segment& segment : part_.segments) {
      bound_.push_back({segment, part_.whole ? 1 : part_.samples, {}, {}, {}});
    }
  }

  void forward(const Call& call) override {
    cpu(call.output).release();
    CpuTensor& a = plain(call.inputs[0]);
    CpuTensor& b = plain(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(1);
    for (BoundProduct& each : bound_) {
      if (!each.forward) each.forward.emplace(context_, w(each), a_of(each), y_of(each));
      for (std::int64_t n = 0; n < each.samples; ++n) {
        each.forward->run(context_, in_b(b, each, n), in_a(a, each, n), in_y(y, each, n));
      }
    }
  }

  void backward_data(const Call& call) override {
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr) cpu(gradient).release();
    }
    if (call.input_gradients[0] != nullptr) left(call);
    if (call.input_gradients[1] != nullptr) right(call);
  }

 private:
  void left(const Call& call) {
    CpuTensor& b = plain(call.inputs[1]);
    CpuTensor& dy = plain(call.output_gradient);
    CpuTensor& da = fresh(call.input_gradients[0]);
    for (BoundProduct& each : bound_) {
      if (!each.left) each.left.emplace(context_, w(each).turned(), y_of(each), a_of(each));
      for (std::int64_t n = 0; n < each.samples; ++n) {
        each.left->run(context_, in_b(b, each, n), in_y(dy, each, n), in_a(da, each, n));
      }
    }
  }

  void right(const Call& call) {
    CpuTensor& a = plain(call.inputs[0]);
    CpuTensor& dy = plain(call.output_gradient);
    CpuTensor& db = fresh(call.input_gradients[1]);
    for (BoundProduct& each : bound_) {
      // The result's rows must lie in one piece each: dWᵀ = A·dYᵀ where b lies as [k, n].
      const Matrices a_matrix = a_of(each), y_matrix = y_of(each);
      if (!each.right && part_.turned) {
        each.right.emplace(context_, y_matrix, a_matrix.turned(), w(each));
      } else if (!each.right) {
        each.right.emplace(context_, a_matrix, y_matrix.turned(), w(each).turned());
      }
      for (std::int64_t n = 0; n < each.samples; ++n) {
        float* from_a = in_a(a, each, n);
        float* from_y = in_y(dy, each, n);
        each.right->run(context_, part_.turned ? from_y : from_a, part_.turned ? from_a : from_y,
                        in_b(db, each, n));
      }
    }
  }

  std::int64_t batch(const BoundProduct& each) const {
    return each.segment.groups * (part_.whole ? part_.samples : 1);
  }
  Matrices a_of(const BoundProduct& each) const {
    return {batch(each),     part_.summed,
            part_.positions, part_.summed * part_.positions,
            part_.positions, 1};
  }
  Matrices y_of(const BoundProduct& each) const {
    const std::int64_t features = each.segment.features;
    return {batch(each), features, part_.positions, features * part_.positions, part_.positions, 1};
  }
  Matrices w(const BoundProduct& each) const {
    const std::int64_t apart = part_.features * part_.summed;
    if (part_.turned)
      return {batch(each), each.segment.features, part_.summed, apart, part_.summed, 1};
    return {batch(each), each.segment.features, part_.summed, apart, 1, part_.features};
  }

  float* in_a(const CpuTensor& a, const BoundProduct& each, std::int64_t sample) const {
    return a.data() + (sample * part_.groups + each.segment.group) * part_.summed * part_.positions;
  }
  float* in_y(const CpuTensor& y, const BoundProduct& each, std::int64_t sample) const {
    return y.data() + (sample * part_.written + each.segment.written) * part_.positions;
  }
  float* in_b(const CpuTensor& b, const BoundProduct& each, std::int64_t sample) const {
    const std::int64_t within = each.segment.first * (part_.turned ? part_.summed : 1);
    return b.data() + (sample * part_.groups + each.segment.group) * part_.features * part_.summed +
           within;
  }

  static CpuTensor& plain(Tensor* tensor) {
    cpu(tensor).convert(1);
    return cpu(tensor);
  }
  CpuTensor& fresh(Tensor* tensor) const {
    cpu(tensor).rewrite(1);
    if (!part_.whole) cpu(tensor).zero();
    return cpu(tensor);
  }

  Context& context_;
  ProductPart part_;
  std::vector<BoundProduct> bound_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(Context& context, const LocalLayer& layer) {
  return std::make_unique<Matmul>(context, layer);
}

}  // namespace oracle
