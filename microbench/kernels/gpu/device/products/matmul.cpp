// The product of two activations, y[p, g, n] = Σ_k a[p, g, k]·b[g, k, n], by cuBLASLt. Channels lie
// innermost, so that each sample and group is a product of matrices Y = A·B of A [p, k] and Y
// [p, n], parts of longer rows; B is [n, k] where b has a position for each n (keys), [k, n] where
// it has one for each k (values). Any other b is a copy, numbered channels outermost.
//   dA = dY·Bᵀ,  dB = Aᵀ·dY

#include <memory>
#include <utility>

#include "microbench/kernels/gpu/device/movement/boxes.h"
#include "microbench/kernels/gpu/device/products/grouped_product.h"
#include "microbench/kernels/gpu/device/runtime/kernels.h"
#include "microbench/kernels/gpu/device/runtime/tensor.h"
#include "microbench/kernels/product_parts.h"

namespace oracle::gpu {
namespace {

/// How the second operand lies.
struct Second {
  bool as_it_is = true;
  bool feature_rows = false;  ///< a row for each feature of a group, else for each summed value
  Planes planes;
};

Second second_of(const LocalLayer& layer, const ProductPart& part) {
  Second b;
  b.planes = planes_of(layer.inputs[1]);
  const std::int64_t across = part.turned ? part.features : part.summed;
  b.as_it_is = b.planes.channels == part.groups * across;
  b.feature_rows = b.as_it_is != part.turned;
  return b;
}

/// The products of one segment.
struct Bound {
  Segment segment;
  std::unique_ptr<GroupedProduct> forward, left, right;
};

template <class T>
class Matmul final : public GpuKernel {
 public:
  Matmul(Context& context, const LocalLayer& layer)
      : context_(context),
        name_(layer.layer->name),
        part_(product_part(layer)),
        second_(second_of(layer, part_)) {
    for (const Segment& segment : part_.segments) bound_.emplace_back().segment = segment;
  }

  void forward(const Call& call) override {
    const T* a = gpu(call.inputs[0]).as<T>();
    Block copy;
    const T* b = read(gpu(call.inputs[1]).as<T>(), copy);
    T* y = gpu(call.output).as<T>();
    for (Bound& each : bound_) {
      if (!each.forward) {
        each.forward = product(each, {.layer = name_,
                                      .pass = Pass::forward,
                                      .a = a_of(each),
                                      .b = b_of(each),
                                      .b_transposed = second_.feature_rows,
                                      .d = y_of(each)});
      }
      each.forward->run(a, b, y);
    }
  }

  void backward_data(const Call& call) override {
    if (call.input_gradients[0] != nullptr) left(call);
    if (call.input_gradients[1] != nullptr) right(call);
  }

 private:
  void left(const Call& call) {
    Block copy;
    const T* b = read(gpu(call.inputs[1]).as<T>(), copy);
    const GpuTensor& da = gpu(call.input_gradients[0]);
    if (!part_.whole) context_.zero(da.data(), da.bytes());
    for (Bound& each : bound_) {
      if (!each.left) {
        each.left = product(each, {.layer = name_,
                                   .pass = Pass::backward_data,
                                   .a = y_of(each),
                                   .b = b_of(each),
                                   .b_transposed = !second_.feature_rows,
                                   .d = a_of(each)});
      }
      each.left->run(gpu(call.output_gradient).as<T>(), b, da.as<T>());
    }
  }

  void right(const Call& call) {
    const T* a = gpu(call.inputs[0]).as<T>();
    const T* dy = gpu(call.output_gradient).as<T>();
    const GpuTensor& db = gpu(call.input_gradients[1]);
    Block copy;
    if (!second_.as_it_is) copy = context_.values(db.elements());
    T* to = second_.as_it_is ? db.as<T>() : copy.as<T>();
    if (!part_.whole) context_.zero(to, db.bytes());
    for (Bound& each : bound_) {
      const bool rows = second_.feature_rows;
      if (!each.right) {
        each.right = product(each, {.layer = name_,
                                    .pass = Pass::backward_data,
                                    .a = rows ? y_of(each) : a_of(each),
                                    .a_transposed = true,
                                    .b = rows ? a_of(each) : y_of(each),
                                    .d = b_of(each)});
      }
      each.right->run(rows ? dy : a, rows ? a : dy, to);
    }
    if (second_.as_it_is) return;
    const Planes& p = second_.planes;
    to_channels_last(context_.stream(), to, p.samples, p.channels, p.positions, db.as<T>());
  }

  const T* read(const T* b, Block& copy) {
    if (second_.as_it_is) return b;
    const Planes& p = second_.planes;
    copy = context_.values(p.elements());
    to_channels_first(context_.stream(), b, p.samples, p.channels, p.positions, copy.as<T>());
    return copy.as<T>();
  }

  std::unique_ptr<GroupedProduct> product(const Bound& each, GroupedProduct::Shape operands) const {
    operands.samples = part_.samples;
    operands.groups = each.segment.groups;
    return std::make_unique<GroupedProduct>(context_, operands);
  }

  Grouped a_of(const Bound& each) const {
    const std::int64_t row = part_.groups * part_.summed;
    return {part_.positions, part_.summed,         each.segment.group * part_.summed, row,
            part_.summed,    part_.positions * row};
  }
  Grouped y_of(const Bound& each) const {
    return {part_.positions, each.segment.features, each.segment.written,
            part_.written,   each.segment.features, part_.positions * part_.written};
  }
  Grouped b_of(const Bound& each) const {
    const Segment& s = each.segment;
    const std::int64_t sample = part_.groups * part_.summed * part_.features;
    Grouped b{part_.summed, s.features, 0, 0, 0, sample};
    if (second_.feature_rows) std::swap(b.rows, b.columns);
    // Columns of a row that has those of all groups, or of one.
    const std::int64_t width = second_.feature_rows ? part_.summed : part_.features;
    b.lead = second_.as_it_is ? part_.groups * width : width;
    b.group = second_.as_it_is ? width : part_.summed * part_.features;
    b.begin = s.group * b.group + s.first * (second_.feature_rows ? b.lead : 1);
    return b;
  }

  Context& context_;
  std::string name_;
  ProductPart part_;
  Second second_;
  std::vector<Bound> bound_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(Context& context, const LocalLayer& layer) {
  return kernel_of<Matmul>(context, layer);
}

}  // namespace oracle::gpu
