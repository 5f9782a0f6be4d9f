#include <algorithm>
#include <numeric>

#include "oracle/io/models/transformers/families.h"

namespace oracle::transformers {
namespace {

constexpr std::int64_t kMostSide = 1 << 16, kMostClasses = 1 << 24, kMostStages = 16;
constexpr std::int64_t kUsualChannels = 3, kUsualClasses = 2;
constexpr double kUsualRatio = 4, kMostRatio = 1024;

std::int64_t classes_of(ConfigKeys& keys) {
  if (keys.says("num_labels")) return keys.count("num_labels", kMostClasses);
  const json::Node* names = keys.says("id2label") ? keys.keys().object("id2label", false) : nullptr;
  if (names == nullptr || names->members.empty()) return kUsualClasses;
  return static_cast<std::int64_t>(names->members.size());
}

Image image_of(ConfigKeys& keys) {
  const auto size = keys.counts("image_size", kMostSide, 2);
  const auto patch = keys.counts("patch_size", kMostSide, 2);
  Image image{size[0],  size[1],  keys.count_or("num_channels", kUsualChannels),
              patch[0], patch[1], classes_of(keys)};
  if (patch[0] > size[0] || patch[1] > size[1]) {
    keys.keys().problem("patch_size", "a patch is larger than the image", "correct one of them");
  }
  return image;
}

/// What both types share.
Architecture architecture_of(ConfigKeys& keys) {
  Architecture of;
  of.type = keys.type().name;
  of.activation = keys.type().activation;
  of.causal = false;
  const Biased biased = keys.type().biased;
  of.query_bias = keys.flag_or("qkv_bias", biased >= Biased::queries);
  of.output_bias = biased >= Biased::attention;
  of.mlp_bias = biased == Biased::all;
  of.image = image_of(keys);
  return of;
}

std::vector<Stage> stages_of(ConfigKeys& keys, std::int64_t features) {
  const auto depths = keys.counts("depths", kMostLayers);
  const auto heads = keys.counts("num_heads", kMostExtent);
  if (heads.size() != depths.size() || depths.size() > kMostStages) {
    keys.keys().problem(
        "num_heads",
        "it has " + std::to_string(heads.size()) + " entries and \"depths\" " +
            std::to_string(depths.size()),
        "write one for each stage, of which there are at most " + std::to_string(kMostStages));
    return {};
  }
  if (std::accumulate(depths.begin(), depths.end(), std::int64_t{0}) > kMostLayers) {
    keys.keys().problem("depths", "they are more than " + std::to_string(kMostLayers) + " blocks");
  }
  const double ratio = keys.keys().number("mlp_ratio", 0, kUsualRatio);
  if (ratio > kMostRatio) keys.keys().problem("mlp_ratio", "is out of range");
  std::vector<Stage> stages;
  for (std::size_t i = 0; i < depths.size(); ++i) {
    const auto ffn =
        static_cast<std::int64_t>(std::min(ratio, kMostRatio) * static_cast<double>(features));
    if (ffn < 1) keys.keys().problem("mlp_ratio", "leaves no features");
    if (features % heads[i] != 0) {
      keys.keys().problem("num_heads", std::to_string(heads[i]) + " heads do not divide the " +
                                           std::to_string(features) + " features of stage " +
                                           std::to_string(i + 1));
    }
    stages.push_back({depths[i], heads[i], ffn});
    features *= 2;
  }
  return stages;
}

}  // namespace

Architecture read_image(const json::Document& document, json::Problems& problems) {
  ConfigKeys keys(document, problems);
  const KeyNames& names = keys.type().keys;
  Architecture of = architecture_of(keys);
  of.hidden = keys.count(names.hidden);
  of.layers = keys.count(names.layers, kMostLayers);
  of.heads = of.kv_heads = keys.count(names.heads);
  of.head_size = keys.head_size(of.hidden, of.heads);
  of.ffn = keys.count(names.ffn);
  return of;
}

Architecture read_windows(const json::Document& document, json::Problems& problems) {
  ConfigKeys keys(document, problems);
  Architecture of = architecture_of(keys);
  of.hidden = keys.count("embed_dim");
  of.windows.side = keys.count("window_size", kMostSide);
  of.windows.stages = stages_of(keys, of.hidden);
  of.image.positions = keys.flag_or("use_absolute_embeddings", false);
  // As many as there are distances of two positions of a window, along each side.
  const std::int64_t distances = 2 * of.windows.side - 1;
  of.relative = distances * distances;
  return of;
}

}  // namespace oracle::transformers
