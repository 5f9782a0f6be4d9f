// The product of two activations, y[p, g, n] = Σ_k a[p, g, k] · b[g, k, n], by oneDNN. In plain
// memory the positions of a tensor lie innermost, so each sample and group is one product of
// matrices Y = W·A with A [k, p], Y [n, p] and W [n, k], which is b as it lies or turned; its
// gradients are dA = Wᵀ·dY and dW = dY·Aᵀ.
//
// A rank may hold part of the output's features, which begins and ends within groups; its gradients
// are then a part of the sum over ranks, and zero for groups of which it has no output.

#include <optional>
#include <vector>

#include "microbench/kernels/cpu/cpu_tensor.h"
#include "microbench/kernels/cpu/kernels.h"
#include "microbench/kernels/cpu/onednn.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

using dnnl::memory;

struct Matrices {
  std::int64_t batch, rows, columns;
  std::int64_t apart, row_stride, column_stride;

  memory::desc description() const {
    return {{batch, rows, columns}, memory::data_type::f32, {apart, row_stride, column_stride}};
  }
  Matrices turned() const { return {batch, columns, rows, apart, column_stride, row_stride}; }
};

/// Features that lie at the same place in each of some groups.
struct Segment {
  std::int64_t group = 0, groups = 0;
  std::int64_t first = 0, features = 0;  ///< of a group
  std::int64_t written = 0;              ///< where they begin among the rank's features
};

/// The `count` features from `first` on, of groups of `each`.
std::vector<Segment> segments_of(std::int64_t first, std::int64_t count, std::int64_t each) {
  std::vector<Segment> segments;
  for (std::int64_t done = 0; done < count;) {
    const std::int64_t group = (first + done) / each, within = (first + done) % each;
    const std::int64_t left = count - done;
    Segment segment{group, 1, within, std::min(each - within, left), done};
    if (within == 0 && left >= each) segment.groups = left / each;
    done += segment.groups * segment.features;
    segments.push_back(segment);
  }
  return segments;
}

class Product {
 public:
  Product(const Context& context, const Matrices& a, const Matrices& b, const Matrices& to)
      : a_(a.description()),
        b_(b.description()),
        to_(to.description()),
        primitive_(describe_forward<dnnl::matmul>(context, a_, b_, to_)) {}

  void run(Context& context, float* a, float* b, float* to) const {
    context.run(primitive_, {{DNNL_ARG_SRC, context.memory(a_, a)},
                             {DNNL_ARG_WEIGHTS, context.memory(b_, b)},
                             {DNNL_ARG_DST, context.memory(to_, to)}});
  }

 private:
  memory::desc a_, b_, to_;
  Primitive primitive_;
};

/// The products of one segment: of all samples at once where it is all there is.
struct Bound {
  Segment segment;
  std::int64_t samples = 1;  ///< one after the other
  std::optional<Product> forward, left, right;
};

class Matmul final : public CpuKernel {
 public:
  Matmul(Context& context, const LocalLayer& layer)
      : context_(context),
        turned_(layer.layer->turned),
        samples_(layer.output.samples),
        groups_(layer.groups),
        positions_(layer.output.depth * layer.output.height * layer.output.width),
        summed_(layer.inputs[0].channels / layer.groups),
        features_(layer.layer->output.channels() / layer.layer->groups),
        written_(layer.output.channels) {
    const std::int64_t all = groups_ * features_;
    const std::int64_t first = written_ == all ? 0 : layer.place.channels % all;
    const bool whole_groups =
        layer.groups == layer.layer->groups || layer.inputs[1].channels % layer.groups == 0;
    if (!whole_groups || first + written_ > all ||
        layer.inputs[1].elements() != samples_ * all * summed_) {
      throw InputError(layer.layer->name,
                       "the CPU back end multiplies with whole groups of the second input",
                       "cut its features over fewer ranks");
    }
    whole_ = written_ == all;
    for (const Segment& segment : segments_of(first, written_, features_)) {
      bound_.push_back({segment, whole_ ? 1 : samples_, {}, {}, {}});
    }
  }

  void forward(const Call& call) override {
    cpu(call.output).release();
    CpuTensor& a = plain(call.inputs[0]);
    CpuTensor& b = plain(call.inputs[1]);
    CpuTensor& y = cpu(call.output);
    y.rewrite(1);
    for (Bound& each : bound_) {
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
    for (Bound& each : bound_) {
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
    for (Bound& each : bound_) {
      // The result's rows must lie in one piece each: dWᵀ = A·dYᵀ where b lies as [k, n].
      const Matrices a_matrix = a_of(each), y_matrix = y_of(each);
      if (!each.right && turned_) {
        each.right.emplace(context_, y_matrix, a_matrix.turned(), w(each));
      } else if (!each.right) {
        each.right.emplace(context_, a_matrix, y_matrix.turned(), w(each).turned());
      }
      for (std::int64_t n = 0; n < each.samples; ++n) {
        float* from_a = in_a(a, each, n);
        float* from_y = in_y(dy, each, n);
        each.right->run(context_, turned_ ? from_y : from_a, turned_ ? from_a : from_y,
                        in_b(db, each, n));
      }
    }
  }

  std::int64_t batch(const Bound& each) const {
    return each.segment.groups * (whole_ ? samples_ : 1);
  }
  Matrices a_of(const Bound& each) const {
    return {batch(each), summed_, positions_, summed_ * positions_, positions_, 1};
  }
  Matrices y_of(const Bound& each) const {
    const std::int64_t features = each.segment.features;
    return {batch(each), features, positions_, features * positions_, positions_, 1};
  }
  Matrices w(const Bound& each) const {
    const std::int64_t apart = features_ * summed_;
    if (turned_) return {batch(each), each.segment.features, summed_, apart, summed_, 1};
    return {batch(each), each.segment.features, summed_, apart, 1, features_};
  }

  float* in_a(const CpuTensor& a, const Bound& each, std::int64_t sample) const {
    return a.data() + (sample * groups_ + each.segment.group) * summed_ * positions_;
  }
  float* in_y(const CpuTensor& y, const Bound& each, std::int64_t sample) const {
    return y.data() + (sample * written_ + each.segment.written) * positions_;
  }
  float* in_b(const CpuTensor& b, const Bound& each, std::int64_t sample) const {
    const std::int64_t within = each.segment.first * (turned_ ? summed_ : 1);
    return b.data() + (sample * groups_ + each.segment.group) * features_ * summed_ + within;
  }

  static CpuTensor& plain(Tensor* tensor) {
    cpu(tensor).convert(1);
    return cpu(tensor);
  }
  CpuTensor& fresh(Tensor* tensor) const {
    cpu(tensor).rewrite(1);
    if (!whole_) cpu(tensor).zero();
    return cpu(tensor);
  }

  Context& context_;
  bool turned_;
  std::int64_t samples_, groups_, positions_;
  std::int64_t summed_, features_;  ///< of a group
  std::int64_t written_;            ///< features of this rank's output, of all groups
  bool whole_ = true;
  std::vector<Bound> bound_;
};

}  // namespace

std::unique_ptr<Kernel> make_matmul(Context& context, const LocalLayer& layer) {
  return std::make_unique<Matmul>(context, layer);
}

}  // namespace oracle
