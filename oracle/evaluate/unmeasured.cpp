#include "oracle/evaluate/unmeasured.h"

#include <algorithm>

#include "oracle/cost/price.h"
#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

constexpr std::size_t kMostNamed = 3;

/// "12 kernels lie outside …: conv1, conv2, conv3 and others"
std::string sentence(std::size_t kernels, const char* what,
                     const std::vector<std::string>& layers) {
  std::string text = std::to_string(kernels) + (kernels == 1 ? " kernel " : " kernels ") + what;
  const char* separator = ": ";
  for (std::size_t i = 0; i < std::min(layers.size(), kMostNamed); ++i) {
    text += separator + layers[i];
    separator = ", ";
  }
  return layers.size() > kMostNamed ? text + " and others" : text;
}

/// Kernels of one complaint, and the layers that have them.
struct Complaint {
  std::size_t kernels = 0;
  std::vector<std::string> layers;

  void add(const std::string& layer) {
    ++kernels;
    if (layers.empty() || layers.back() != layer) layers.push_back(layer);
  }
};

}  // namespace

std::vector<std::string> unmeasured_lines(const Setting& setting, const Plan& plan) {
  const Profile& profile = setting.profile;
  if (!profile.has_kernels()) return {};
  Complaint outside, unknown;
  for (const Stage& stage : plan.stages) {
    for (const Item& item : stage.items) {
      const Work* work = std::get_if<Work>(&item.what);
      if (work == nullptr || work->layer == kAllLayers) continue;
      const Layer& layer = setting.graph[work->layer];
      const Piece& piece = plan.pieces[work->layer];
      if (demand(layer, piece, *work, plan.training).kernels == 0) continue;
      const auto cost = profiled_price(key_of(layer, piece, work->pass, plan.training), profile);
      if (!cost) unknown.add(layer.name);
      if (cost && cost->source == Source::assumed) outside.add(layer.name);
    }
  }
  std::vector<std::string> lines;
  if (outside.kernels > 0) {
    lines.push_back(
        sentence(outside.kernels, "lie outside of the shapes measured", outside.layers));
  }
  if (unknown.kernels > 0) {
    lines.push_back(
        sentence(unknown.kernels, "like none that was measured, by the roofline", unknown.layers));
  }
  return lines;
}

}  // namespace oracle
