#include "tests/properties/random_graph.h"

#include <string>

namespace oracle {
namespace {

using Whole = std::int64_t;

class Maker {
 public:
  explicit Maker(Random& random) : random_(random), builder_("random") {}

  Graph make() {
    Shape shape;
    const bool deep = random_.chance(0.25);
    shape[Axis::channel] = random_.whole(1, 4);
    if (deep) shape[Axis::depth] = random_.whole(6, 10);
    shape[Axis::height] = deep ? random_.whole(6, 10) : random_.whole(8, 24);
    shape[Axis::width] = deep ? random_.whole(6, 10) : random_.whole(8, 24);
    LayerId at = builder_.input(shape);
    normalized_ = random_.chance(0.6);
    at = convolution_block(at, features(), 1);
    for (Whole blocks = random_.whole(1, 3); blocks > 0; --blocks) at = block(at);
    return head(at);
  }

 private:
  const Shape& shape_of(LayerId id) const { return builder_.so_far()[id].output; }

  LayerId add(std::string_view prefix, std::string_view kind, std::vector<LayerId> inputs,
              const Attributes& attributes = {}) {
    return builder_.add(std::string(prefix) + std::to_string(count_++), kind, std::move(inputs),
                        attributes);
  }

  Whole features() { return random_.pick<Whole>({3, 4, 5, 6, 8, 8, 12, 16, 32}); }

  /// A step of 2 only while something is left to cut.
  Whole stride(LayerId at) {
    const Shape& shape = shape_of(at);
    const bool wide = shape[Axis::height] >= 6 && shape[Axis::width] >= 6;
    return wide && random_.chance(0.4) ? 2 : 1;
  }

  LayerId convolution(LayerId at, Whole features, Whole kernel, Whole stride, Whole groups = 1) {
    const Whole dilation = kernel == 3 && random_.chance(0.15) ? 2 : 1;
    return add("conv", "convolution", {at},
               {{"features", features},
                {"kernel", kernel},
                {"stride", stride},
                {"pad", dilation * (kernel - 1) / 2},
                {"dilation", dilation},
                {"groups", groups},
                {"bias", !normalized_}});
  }

  LayerId activation(LayerId at) {
    return add("act", "activation", {at},
               {{"function", random_.pick<std::string>({"relu", "relu", "silu"})}});
  }

  LayerId norm(LayerId at) { return normalized_ ? add("bn", "batch_norm", {at}) : at; }

  LayerId convolution_block(LayerId at, Whole features, Whole stride, Whole kernel = 3,
                            Whole groups = 1) {
    return activation(norm(convolution(at, features, kernel, stride, groups)));
  }

  LayerId block(LayerId at) {
    switch (random_.whole(0, 6)) {
      case 0:
        return residual(at);
      case 1:
        return branches(at);
      case 2:
        return separable(at);
      case 3:
        return grouped(at);
      case 4:
        return gated(at);
      case 5:
        return pool(at);
      default:
        return convolution_block(at, features(), stride(at), random_.pick<Whole>({1, 3, 5}));
    }
  }

  LayerId residual(LayerId at) {
    const Whole step = stride(at),
                width = random_.chance(0.5) ? features() : shape_of(at).channels();
    LayerId main = convolution_block(at, width, step);
    main = norm(convolution(main, width, 3, 1));
    const bool projected = step > 1 || width != shape_of(at).channels();
    const LayerId shortcut = projected ? norm(convolution(at, width, 1, step)) : at;
    // Of which backward makes the gradient in that of the sum.
    if (random_.chance(0.3)) main = activation(main);
    LayerId sum = add("add", "add", {main, shortcut});
    if (random_.chance(0.2)) sum = add("add", "add", {sum, main});
    return activation(sum);
  }

  LayerId branches(LayerId at) {
    std::vector<LayerId> ends = {convolution_block(at, features(), 1, 1),
                                 convolution_block(at, features(), 1, 3)};
    if (random_.chance(0.5)) {
      const LayerId pooled = add("pool", "pool", {at},
                                 {{"kernel", Whole{3}},
                                  {"stride", Whole{1}},
                                  {"pad", Whole{1}},
                                  {"mode", std::string("average")}});
      ends.push_back(convolution(pooled, features(), 1, 1));
    }
    return add("cat", "concat", ends);
  }

  LayerId separable(LayerId at) {
    const Whole channels = shape_of(at).channels();
    const LayerId deep = convolution_block(at, channels, stride(at), 3, channels);
    return convolution_block(deep, features(), 1, 1);
  }

  LayerId grouped(LayerId at) {
    const Whole groups = random_.pick<Whole>({2, 4});
    const LayerId even = convolution_block(at, 4 * random_.whole(1, 4), 1, 1);
    return convolution_block(even, 4 * random_.whole(1, 4), stride(even), 3, groups);
  }

  LayerId gated(LayerId at) {
    const Whole channels = shape_of(at).channels();
    LayerId gate = add("gap", "adaptive_pool", {at}, {{"mode", std::string("average")}});
    gate = convolution(gate, channels, 1, 1);
    gate = add("act", "activation", {gate}, {{"function", std::string("sigmoid")}});
    return add("mul", "multiply", {at, gate});
  }

  LayerId pool(LayerId at) {
    const Shape& shape = shape_of(at);
    if (shape[Axis::height] < 4 || shape[Axis::width] < 4) return activation(at);
    const Whole kernel = random_.pick<Whole>({2, 3});
    return add("pool", "pool", {at},
               {{"kernel", kernel},
                {"stride", Whole{2}},
                {"pad", kernel / 2},
                {"mode", random_.pick<std::string>({"max", "average"})}});
  }

  Graph head(LayerId at) {
    if (random_.chance(0.5)) {
      at = add("gap", "adaptive_pool", {at},
               {{"mode", random_.pick<std::string>({"average", "max"})}});
    }
    at = add("flat", "flatten", {at});
    for (Whole hidden = random_.whole(0, 2); hidden > 0; --hidden) {
      at = activation(add("fc", "dense", {at}, {{"features", random_.whole(4, 48)}}));
      if (random_.chance(0.4)) at = add("drop", "dropout", {at});
    }
    at = add("fc", "dense", {at}, {{"features", random_.whole(2, 20)}});
    add("loss", random_.chance(0.8) ? "softmax_loss" : "mean_squared_loss", {at});
    return builder_.finish();
  }

  Random& random_;
  GraphBuilder builder_;
  int count_ = 0;
  bool normalized_ = false;
};

}  // namespace

Graph random_graph(Random& random) { return Maker(random).make(); }

}  // namespace oracle
