#include "oracle/graph/kinds/kind.h"
#include "tests/validate/plain/kernels.h"
#include "validate/data/random.h"

namespace oracle::plain {
namespace {

class Relu : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    const auto& x = dense(call.inputs[0]).values();
    auto& y = dense(call.output).values();
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = std::max(x[i], 0.F);
  }
  void backward_data(const Call& call) override {
    const auto& y = dense(call.output).values();
    const auto& dy = dense(call.output_gradient).values();
    auto& dx = dense(call.input_gradients[0]).values();
    for (std::size_t i = 0; i < y.size(); ++i) dx[i] = y[i] > 0 ? dy[i] : 0;
  }
};

class Add : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& y = dense(call.output);
    zero(y);
    for (Tensor* input : call.inputs) {
      const auto& x = dense(input).values();
      for (std::size_t i = 0; i < x.size(); ++i) y.values()[i] += x[i];
    }
  }
  void backward_data(const Call& call) override {
    for (Tensor* gradient : call.input_gradients) {
      if (gradient != nullptr) dense(gradient).values() = dense(call.output_gradient).values();
    }
  }
};

/// The second input has the extents of the first or one value per sample and channel.
class Multiply : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& gate = dense(call.inputs[1]);
    DenseTensor& y = dense(call.output);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      y.at(n, c, d, h, w) = x.at(n, c, d, h, w) * at(gate, n, c, d, h, w);
    });
  }
  void backward_data(const Call& call) override {
    DenseTensor& x = dense(call.inputs[0]);
    DenseTensor& gate = dense(call.inputs[1]);
    DenseTensor& dy = dense(call.output_gradient);
    if (call.input_gradients[0] != nullptr) {
      DenseTensor& dx = dense(call.input_gradients[0]);
      for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
        dx.at(n, c, d, h, w) = dy.at(n, c, d, h, w) * at(gate, n, c, d, h, w);
      });
    }
    if (call.input_gradients[1] == nullptr) return;
    DenseTensor& dgate = dense(call.input_gradients[1]);
    zero(dgate);
    for_each(x.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      at(dgate, n, c, d, h, w) += dy.at(n, c, d, h, w) * x.at(n, c, d, h, w);
    });
  }

 private:
  static float& at(DenseTensor& gate, std::int64_t n, std::int64_t c, std::int64_t d,
                   std::int64_t h, std::int64_t w) {
    const Extents& e = gate.extents();
    return gate.at(n, c, e.depth == 1 ? 0 : d, e.height == 1 ? 0 : h, e.width == 1 ? 0 : w);
  }
};

class Concat : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    std::int64_t first = 0;
    for (Tensor* input : call.inputs) {
      DenseTensor& x = dense(input);
      dense(call.output).unpack(box(first, x.extents()), x.values().data());
      first += x.extents().channels;
    }
  }
  void backward_data(const Call& call) override {
    std::int64_t first = 0;
    for (std::size_t i = 0; i < local_.inputs.size(); ++i) {
      const Extents& extents = local_.inputs[i];
      if (call.input_gradients[i] != nullptr) {
        dense(call.output_gradient)
            .pack(box(first, extents), dense(call.input_gradients[i]).values().data());
      }
      first += extents.channels;
    }
  }

 private:
  static Box box(std::int64_t first, const Extents& extents) {
    return {{0, first, 0, 0, 0}, extents};
  }
};

/// Flatten, and pooling that leaves all as it is.
class View : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    dense(call.output).values() = dense(call.inputs[0]).values();
  }
  void backward_data(const Call& call) override {
    dense(call.input_gradients[0]).values() = dense(call.output_gradient).values();
  }
};

class Dropout : public Plain {
 public:
  using Plain::Plain;
  void forward(const Call& call) override {
    mask(dense(call.inputs[0]), dense(call.output), mixed(call.seed ^ call.layer));
  }
  void backward_data(const Call& call) override {
    mask(dense(call.output_gradient), dense(call.input_gradients[0]),
         mixed(call.seed ^ call.layer));
  }

 private:
  void mask(DenseTensor& from, DenseTensor& to, std::uint64_t seed) const {
    const Extents& p = local_.place;
    const Extents& e = local_.whole;
    for_each(from.extents(), [&](auto n, auto c, auto d, auto h, auto w) {
      const std::int64_t place =
          ((((n + p.samples) * e.channels + c + p.channels) * e.depth + d + p.depth) * e.height +
           h + p.height) *
              e.width +
          local_.position(w);
      const bool keeps = uniform(seed, 0, static_cast<std::uint64_t>(place)) < 0.5;
      to.at(n, c, d, h, w) = keeps ? 2 * from.at(n, c, d, h, w) : 0;
    });
  }
};

}  // namespace

std::unique_ptr<Kernel> elementwise(const LocalLayer& local) {
  const std::string_view kind = local.layer->kind->name;
  if (kind == "activation") return std::make_unique<Relu>(local);
  if (kind == "add") return std::make_unique<Add>(local);
  if (kind == "multiply") return std::make_unique<Multiply>(local);
  if (kind == "concat") return std::make_unique<Concat>(local);
  if (kind == "dropout") return std::make_unique<Dropout>(local);
  if (kind == "flatten") return std::make_unique<View>(local);
  throw std::runtime_error("no plain kernel of this kind");
}

}  // namespace oracle::plain
