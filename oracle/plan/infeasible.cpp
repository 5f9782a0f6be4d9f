#include "oracle/plan/infeasible.h"

#include <array>

#include "oracle/base/quantity_text.h"

namespace oracle {
namespace {

std::string amount(double value, const std::string& unit) {
  if (unit == "B") return to_binary_text(Bytes{value});
  return std::to_string(static_cast<std::int64_t>(value)) + (unit.empty() ? "" : " " + unit);
}

}  // namespace

std::string_view name_of(Constraint constraint) {
  constexpr std::array<std::string_view, kConstraintCount> kNames = {
      "batch", "filters",       "channels",       "extent", "halo",     "layers", "micro_batches",
      "ranks", "number_format", "shared_weights", "shards", "exchange", "host",   "memory"};
  return kNames[static_cast<std::size_t>(constraint)];
}

std::string to_text(const Infeasible& infeasible) {
  const std::string needed = amount(infeasible.needed, infeasible.unit);
  // "needs 16 experts that the degree divides, has 8"
  const bool is_said_once = infeasible.unit.find(" that ") != std::string::npos;
  const std::string available = amount(infeasible.available, is_said_once ? "" : infeasible.unit);
  std::string text = infeasible.subject;
  if (infeasible.constraint == Constraint::shared_weights ||
      infeasible.constraint == Constraint::shards ||
      infeasible.constraint == Constraint::exchange || infeasible.constraint == Constraint::host) {
    return text + "; " + infeasible.remedy;
  }
  text += ": needs " + needed + ", ";
  text += needed == available ? amount(infeasible.needed - infeasible.available, infeasible.unit) +
                                    " more than it has"
                              : "has " + available;
  if (!infeasible.remedy.empty()) text += "; " + infeasible.remedy;
  return text;
}

}  // namespace oracle
