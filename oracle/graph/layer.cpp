#include "oracle/graph/layer.h"

#include <cmath>

#include "oracle/graph/kinds/kind.h"

namespace oracle {

std::string_view name_of(Pass pass) {
  constexpr std::array<std::string_view, kPassCount> kNames = {
      "forward", "backward_data", "backward_weights", "update", "gradient_sum", "quantize"};
  return kNames[static_cast<std::size_t>(pass)];
}

bool Layer::is_loss() const { return kind != nullptr && kind->is_loss; }

std::int64_t Layer::parameters() const {
  std::int64_t total = 0;
  for (const Weight& weight : weights) total += weight.owner == 0 ? weight.elements : 0;
  return total;
}

double Layer::multiply_adds() const {
  if (heads.keys > 0) return flops(Pass::forward) / 2;
  const double whole = static_cast<double>(reduction) * static_cast<double>(output.elements());
  if (reduction_remainder == 0) return whole;
  return std::round(whole + reduction_remainder * static_cast<double>(output.elements()));
}

double Layer::flops(Pass pass) const {
  if (pass > Pass::backward_weights) return 0;
  if (pass == Pass::backward_weights && !learns()) return 0;
  const double multiply_adds = static_cast<double>(reduction);
  return (2 * multiply_adds + of(pass).flops_per_output) * static_cast<double>(output.elements());
}

}  // namespace oracle
