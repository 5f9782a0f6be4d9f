#include "tests/conformance/paradl_graph.h"

#include <algorithm>

#include "tests/graph/one_layer.h"

namespace oracle::paradl {
namespace {

using Extents = std::vector<std::int64_t>;

Extents spatial(const Extents& dims, std::size_t first) {
  return {dims.begin() + static_cast<std::ptrdiff_t>(first), dims.end()};
}

/// The attributes of a window that turns the input's extents into the output's.
Attributes window_of(const Operation& operation, bool rounds_up) {
  const Extents in = spatial(operation.input, 1), out = spatial(operation.output, 1);
  const Extents kernel = spatial(operation.weight, 2);
  Extents stride, before, after;
  for (std::size_t a = 0; a < in.size(); ++a) {
    stride.push_back(out[a] == 1 ? kernel[a] : (in[a] + out[a] / 2) / out[a]);
    const std::int64_t reach = (out[a] - 1) * stride[a] + kernel[a];
    const std::int64_t lacking = std::max<std::int64_t>(0, reach - in[a]);
    before.push_back(rounds_up ? 0 : (lacking + 1) / 2);
    after.push_back(lacking - before[a]);
  }
  return {{"kernel", kernel}, {"stride", stride}, {"pad_before", before}, {"pad_after", after}};
}

class Builder {
 public:
  explicit Builder(const Network& network) : builder_(network.model) {
    const Extents& input = network.operations.front().input;
    last_ = block_ = builder_.input(shape_of(input[0], spatial(input, 1)), input.size() - 1);
  }

  LayerId add(const Operation& operation, std::size_t index) {
    const std::string name = operation.name + '_' + std::to_string(index);
    if (operation.name == "ADD") return add_shortcut(name);
    const LayerId id = append(operation, name);
    if (closes_block_ || operation.name == "MPOOL") block_ = id;
    closes_block_ = false;
    return last_ = id;
  }

  Graph finish() {
    builder_.add("loss", "softmax_loss", {last_});
    return builder_.finish();
  }

 private:
  LayerId append(const Operation& operation, const std::string& name) {
    if (operation.name == "RELU") return builder_.add(name, "activation", {last_});
    if (operation.name == "DROPOUT") return builder_.add(name, "dropout", {last_});
    if (operation.name == "BNORM") {
      return builder_.add(name, "batch_norm", {last_}, {{"affine", false}});
    }
    const bool pools = operation.name == "MPOOL" || operation.name == "APOOL";
    Attributes window = window_of(operation, pools);
    if (pools) {
      window.set("mode", std::string(operation.name == "MPOOL" ? "max" : "average"));
      return builder_.add(name, "pool", {last_}, window);
    }
    window.set("features", operation.output[0]);
    window.set("bias", false);
    return builder_.add(name, "convolution", {last_}, window);
  }

  LayerId add_shortcut(const std::string& name) {
    closes_block_ = true;
    const Graph& graph = builder_.so_far();
    if (graph[block_].output != graph[last_].output) return 0;
    return last_ = builder_.add(name, "add", {last_, block_});
  }

  GraphBuilder builder_;
  LayerId last_ = 0;
  LayerId block_ = 0;  ///< what the next addition reads besides
  bool closes_block_ = false;
};

}  // namespace

void build_graph(Network& network) {
  Builder builder(network);
  for (std::size_t i = 0; i < network.operations.size(); ++i) {
    network.operations[i].layer = builder.add(network.operations[i], i);
  }
  network.graph = builder.finish();
}

}  // namespace oracle::paradl
