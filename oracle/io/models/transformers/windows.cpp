#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/io/models/transformers/networks.h"

namespace oracle::transformers {
namespace {

/// Tokens of a stage, which lie as a map.
struct Map {
  std::int64_t height = 0, width = 0;
  std::int64_t tokens() const { return height * width; }
};

[[noreturn]] void refuse(const Architecture& of, const std::string& what) {
  const Image& image = of.image;
  const std::int64_t halvings = std::int64_t{1} << (of.windows.stages.size() - 1);
  const std::int64_t multiple = of.windows.side * halvings;
  throw InputError("image of " + std::to_string(image.height) + "x" + std::to_string(image.width),
                   what,
                   "choose a multiple of " + std::to_string(multiple * image.patch_height) +
                       " by " + std::to_string(multiple * image.patch_width));
}

std::string text_of(const Map& map) {
  return std::to_string(map.height) + "x" + std::to_string(map.width);
}

/// Side of the windows on a map; where one covers the map's shorter side, it is as long.
std::int64_t window_side(const Architecture& of, const Map& map) {
  const std::int64_t side = std::min({of.windows.side, map.height, map.width});
  if (map.height % side == 0 && map.width % side == 0) return side;
  refuse(of, "a map of " + text_of(map) + " is not filled by windows of " + std::to_string(side) +
                 "x" + std::to_string(side));
}

LayerId moved(BlockWriter& writer, const std::string& name, LayerId at, const char* how) {
  return writer.add(name, "movement", {at}, {{"operator", std::string(how)}});
}

/// Tokens are put in the order of their windows and back. Windows of each second block begin half
/// a window later, for which the map is rolled.
LayerId block(BlockWriter& writer, LayerId at, std::int64_t side, bool shifted) {
  LayerId made = writer.norm("norm1", at);
  if (shifted) made = moved(writer, "shift", made, "roll");
  made = moved(writer, "windows", made, "windows");
  made = writer.attend(made, side * side);
  made = moved(writer, "map", made, "windows reversed");
  if (shifted) made = moved(writer, "shift_back", made, "roll");
  at = writer.sum("sum1", {at, made});
  return writer.sum("sum2", {at, writer.transform(writer.norm("norm2", at))});
}

/// The features of two by two tokens, joined, normalized and halved.
LayerId merge(BlockWriter& writer, const std::string& stage, LayerId at, const Map& halved,
              std::int64_t features) {
  constexpr std::int64_t kJoined = 4;
  at = writer.add(stage + ".merge", "movement", {at},
                  {{"features", kJoined * features},
                   {"sequence", halved.tokens()},
                   {"operator", std::string("patches joined")}});
  at = writer.norm(stage + ".merge_norm", at);
  return writer.dense(stage + ".reduce", at, 2 * features, false);
}

Architecture architecture_of(const Architecture& of, const Stage& stage, std::int64_t features) {
  Architecture own = of;
  own.hidden = features;
  own.heads = own.kv_heads = stage.heads;
  own.head_size = features / stage.heads;
  own.ffn = stage.ffn;
  return own;
}

LayerId blocks(BlockWriter writer, const std::string& stage, LayerId at, std::int64_t depth,
               std::int64_t side, bool shifts) {
  for (std::int64_t i = 0; i < depth; ++i) {
    writer.begin_block(stage + ".layers.", i);
    at = block(writer, at, side, shifts && i % 2 == 1);
  }
  return at;
}

Map map_of(const Architecture& of) {
  const Image& image = of.image;
  if (image.height % image.patch_height != 0 || image.width % image.patch_width != 0) {
    refuse(of, "its patches do not fill it");
  }
  return {image.height / image.patch_height, image.width / image.patch_width};
}

Map halved(const Architecture& of, const Map& map) {
  if (map.height % 2 != 0 || map.width % 2 != 0) {
    refuse(of, "a map of " + text_of(map) + " cannot be halved");
  }
  return {map.height / 2, map.width / 2};
}

}  // namespace

Graph build_windows(const Architecture& of, const std::string& name) {
  GraphBuilder graph(name);
  BlockWriter outside(of, graph);
  Map map = map_of(of);
  LayerId at = outside.norm("embed_norm", patches(outside, graph, of));
  if (of.image.positions) {
    at = outside.add("positions", "added_rows", {at}, {{"entries", map.tokens()}});
  }
  std::int64_t features = of.hidden;
  for (std::size_t s = 0; s < of.windows.stages.size(); ++s) {
    const Stage& stage = of.windows.stages[s];
    const std::string called = "stage" + std::to_string(s + 1);
    if (s > 0) {
      map = halved(of, map);
      at = merge(outside, "stage" + std::to_string(s), at, map, features);
      features *= 2;
    }
    const std::int64_t side = window_side(of, map);
    // One window that covers the map's shorter side is not shifted.
    const bool shifts = std::min(map.height, map.width) > side;
    at = blocks({architecture_of(of, stage, features), graph}, called, at, stage.depth, side,
                shifts);
  }
  at = outside.norm("norm", at);
  at = outside.add("pool", "reduction", {at},
                   {{"sequence", std::int64_t{1}}, {"operator", std::string("mean")}});
  outside.add("loss", "softmax_loss", {outside.dense("head", at, of.image.classes, true)});
  return graph.finish();
}

}  // namespace oracle::transformers
