#include "oracle/plan/strategy/strategy.h"

#include <algorithm>

namespace oracle {

std::int64_t Strategy::ranks() const {
  std::int64_t ranks = 1;
  for (const MeshAxis& axis : mesh) ranks *= axis.degree;
  return ranks;
}

std::vector<std::int64_t> Strategy::degrees() const {
  std::vector<std::int64_t> degrees;
  for (const MeshAxis& axis : mesh) degrees.push_back(axis.degree);
  return degrees;
}

bool Strategy::has(Cut cut) const {
  return std::any_of(mesh.begin(), mesh.end(),
                     [&](const MeshAxis& axis) { return axis.cut == cut; });
}

bool Strategy::has_anywhere(Cut cut) const {
  return has(cut) || std::any_of(rules.begin(), rules.end(), [&](const LayerRule& rule) {
           return std::find(rule.cuts.begin(), rule.cuts.end(), cut) != rule.cuts.end();
         });
}

bool Strategy::has_along(std::size_t axis, Cut cut) const {
  return mesh[axis].cut == cut ||
         std::any_of(rules.begin(), rules.end(),
                     [&](const LayerRule& rule) { return rule.cuts[axis] == cut; });
}

AxisSet Strategy::tensor_sequence_axes() const {
  AxisSet axes = 0;
  for (std::size_t a = 0; a < mesh.size(); ++a) {
    const bool apart = has_along(a, Cut::alternate_sequence) || has_along(a, Cut::alternate_expert);
    if (apart) axes |= AxisSet{1} << a;
  }
  return axes;
}

std::int64_t Strategy::replicas() const {
  std::int64_t parts = 1;
  for (std::size_t a = 0; a < mesh.size(); ++a) {
    if (has_along(a, Cut::sample) || has_along(a, Cut::expert)) parts *= mesh[a].degree;
  }
  return parts;
}

bool Strategy::sums_each_micro_batch(int level) const {
  return sync == GradientSync::automatic ? level >= 2 : sync == GradientSync::micro_batch;
}

}  // namespace oracle
