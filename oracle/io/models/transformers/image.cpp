#include "oracle/io/models/transformers/networks.h"

namespace oracle::transformers {

LayerId patches(BlockWriter& writer, GraphBuilder& graph, const Architecture& of) {
  const Image& image = of.image;
  Shape pixels;
  pixels[Axis::channel] = image.channels;
  pixels[Axis::height] = image.height;
  pixels[Axis::width] = image.width;
  const std::vector<std::int64_t> side{image.patch_height, image.patch_width};
  const LayerId map = writer.add("patches", "convolution", {graph.input(pixels, 2)},
                                 {{"features", of.hidden}, {"kernel", side}, {"stride", side}});
  const std::int64_t count = graph.so_far()[map].output.positions();
  return writer.add("tokens", "reshape", {map}, {{"sequence", count}});
}

Graph build_image(const Architecture& of, const std::string& name) {
  GraphBuilder graph(name);
  BlockWriter writer(of, graph);
  LayerId at = patches(writer, graph, of);
  const std::int64_t class_tokens = 1;
  at = writer.add("class_token", "prepended_rows", {at}, {{"entries", class_tokens}});
  if (of.image.positions) {
    const std::int64_t count = graph.so_far()[at].output[Axis::sequence];
    at = writer.add("positions", "added_rows", {at}, {{"entries", count}});
  }
  for (std::int64_t i = 0; i < of.layers; ++i) {
    writer.begin_block("layers.", i);
    at = writer.block(at);
  }
  writer.end_blocks();
  at = writer.norm("norm", at);
  at = writer.add("first", "slice", {at}, {{"sequence", class_tokens}});
  writer.add("loss", "softmax_loss", {writer.dense("head", at, of.image.classes, true)});
  return graph.finish();
}

}  // namespace oracle::transformers
