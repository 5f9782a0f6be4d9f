#include "tests/validate/networks.h"

#include <string>

#include "oracle/io/models/model_reader.h"

namespace oracle {
namespace {

Shape shape(std::int64_t channels, std::int64_t depth, std::int64_t height, std::int64_t width) {
  return {{1, channels, depth, height, width, 1}};
}

Attributes window(std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  return {{"kernel", kernel}, {"stride", stride}, {"pad", pad}};
}

Attributes features(std::int64_t count, Attributes more = {}) {
  more.set("features", count);
  return more;
}

Attributes with(Attributes attributes, std::string name, AttributeValue value) {
  attributes.set(std::move(name), std::move(value));
  return attributes;
}

Graph chain(const Shape& input, std::int64_t first, std::int64_t second, std::int64_t classes) {
  GraphBuilder net("chain");
  LayerId x = net.input(input);
  x = net.add("conv1", "convolution", {x}, features(first, window(3, 1, 1)));
  x = net.add("relu1", "activation", {x});
  x = net.add("conv2", "convolution", {x}, features(second, window(3, 2, 1)));
  x = net.add("relu2", "activation", {x});
  x = net.add("flat", "flatten", {x});
  x = net.add("fc1", "dense", {x}, features(8));
  x = net.add("relu3", "activation", {x});
  x = net.add("fc2", "dense", {x}, features(classes));
  net.add("loss", "softmax_loss", {x});
  return net.finish();
}

/// Convolution without bias, batch norm, relu.
LayerId block(GraphBuilder& net, const std::string& name, LayerId x, const Attributes& attributes) {
  x = net.add(name, "convolution", {x}, with(attributes, "bias", false));
  x = net.add(name + "_norm", "batch_norm", {x});
  return net.add(name + "_relu", "activation", {x});
}

}  // namespace

Graph plain_network() { return chain(shape(3, 1, 8, 8), 4, 8, 6); }
Graph uneven_network() { return chain(shape(3, 1, 9, 7), 5, 7, 5); }

Graph residual_network() {
  GraphBuilder net("residual");
  LayerId x = net.input(shape(3, 1, 16, 16));
  x = block(net, "conv1", x, features(8, window(3, 1, 1)));
  const LayerId pooled = net.add("pool1", "pool", {x}, window(3, 2, 1));
  x = block(net, "deep", pooled, with(features(8, window(3, 1, 1)), "groups", std::int64_t{8}));
  x = block(net, "grouped", x, with(features(8, window(1, 1, 0)), "groups", std::int64_t{4}));
  x = net.add("sum", "add", {x, pooled});
  const LayerId squeezed = net.add("squeeze", "adaptive_pool", {x}, {{"mode", "average"}});
  const LayerId gate = net.add("gate", "convolution", {squeezed}, features(8, window(1, 1, 0)));
  x = net.add("gated", "multiply", {x, gate});
  const LayerId left = block(net, "left", x, features(4, window(1, 1, 0)));
  const LayerId right = net.add("right", "pool", {x}, with(window(3, 1, 1), "mode", "average"));
  x = net.add("join", "concat", {left, right});
  x = net.add("drop", "dropout", {x});
  x = block(net, "conv2", x, features(8, window(3, 2, 1)));
  x = net.add("last", "adaptive_pool", {x}, {{"mode", "average"}});
  x = net.add("flat", "flatten", {x});
  x = net.add("fc", "dense", {x}, features(4));
  net.add("loss", "softmax_loss", {x});
  return net.finish();
}

Graph shortcut_network(std::int64_t channels, std::int64_t extent, std::int64_t kernel) {
  GraphBuilder net("shortcut");
  const Attributes wide = with(features(channels, window(kernel, 1, kernel / 2)), "bias", false);
  LayerId x = block(net, "stem", net.input(shape(3, 1, extent, extent)), wide);
  for (const char* name : {"one", "two"}) {
    const std::string own(name);
    LayerId y = block(net, own + "_1", x, wide);
    y = net.add(own + "_2", "convolution", {y}, wide);
    y = net.add(own + "_norm", "batch_norm", {y});
    const bool first = own == "one";
    y = net.add(own + "_sum", "add", {first ? y : x, first ? x : y});
    x = net.add(own + "_relu", "activation", {y});
  }
  x = net.add("pool", "adaptive_pool", {x}, {{"mode", "average"}});
  x = net.add("flat", "flatten", {x});
  x = net.add("fc", "dense", {x}, features(4));
  net.add("loss", "softmax_loss", {x});
  return net.finish();
}

Graph volume_network() {
  GraphBuilder net("volume");
  LayerId x = net.input(shape(2, 8, 8, 8));
  x = net.add("conv1", "convolution", {x}, features(4, window(3, 1, 1)));
  const LayerId early = net.add("relu1", "activation", {x});
  x = net.add("conv2", "convolution", {early}, features(4, window(3, 2, 1)));
  x = net.add("relu2", "activation", {x});
  x = net.add("up", "transposed_convolution", {x}, features(4, window(2, 2, 0)));
  x = net.add("skip", "add", {x, early});
  x = net.add("scores", "convolution", {x}, features(3, window(1, 1, 0)));
  net.add("loss", "softmax_loss", {x});
  return net.finish();
}

Graph flat_network() {
  GraphBuilder net("flat");
  LayerId x = net.input(shape(12, 1, 1, 1));
  x = net.add("fc1", "dense", {x}, features(8));
  x = net.add("norm", "layer_norm", {x});
  x = net.add("relu", "activation", {x});
  x = net.add("drop", "dropout", {x});
  x = net.add("fc2", "dense", {x}, features(6));
  x = net.add("act", "activation", {x});
  x = net.add("fc3", "dense", {x}, features(4));
  net.add("loss", "mean_squared_loss", {x});
  return net.finish();
}

Graph network_of_file(std::string_view name) {
  return load_model(ORACLE_SOURCE_DIR "/tests/validate/models/" + std::string(name) + ".json", {});
}

}  // namespace oracle
