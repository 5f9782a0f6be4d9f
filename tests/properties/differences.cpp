#include "tests/properties/differences.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

namespace oracle {
namespace {

using Figures = std::vector<std::pair<std::string, double>>;

Figures times_of(const Fits& fits) {
  const Timeline& timeline = fits.timeline;
  const Breakdown& parts = timeline.breakdown;
  return {{"step", fits.step.time.value},
          {"length", timeline.length.value},
          {"communication", timeline.communication.value},
          {"critical path", timeline.critical_path.value},
          {"forward", parts.forward.value},
          {"backward", parts.backward.value},
          {"update", parts.update.value},
          {"exposed activation", parts.exposed_activation.value},
          {"exposed gradient", parts.exposed_gradient.value}};
}

Figures others_of(const Fits& fits) {
  Figures figures = {{"uncertainty", fits.step.uncertainty},
                     {"slowest stage", fits.timeline.slowest_stage},
                     {"available", fits.memory.available.value}};
  for (std::size_t use = 0; use < kMemoryUseCount; ++use) {
    const auto which = static_cast<MemoryUse>(use);
    figures.emplace_back(name_of(which), fits.memory.of(which).value);
  }
  return figures;
}

/// `slack`: a difference that rounding may leave where figures are differences of large ones.
std::string compare(const Figures& a, const Figures& b, double times, double tolerance,
                    double slack) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double expected = a[i].second * times;
    if (is_close(expected, b[i].second, tolerance)) continue;
    if (std::abs(expected - b[i].second) < slack) continue;
    std::ostringstream text;
    text.precision(17);
    text << a[i].first << ": " << expected << " and " << b[i].second;
    return text.str();
  }
  return "";
}

}  // namespace

bool is_close(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max(std::abs(a), std::abs(b));
}

std::string difference(const Evaluation& a, const Evaluation& b, double tolerance, double times) {
  if (a.ranks != b.ranks) return "ranks";
  if ((a.fits() == nullptr) != (b.fits() == nullptr)) return "only one fits";
  if (const Infeasible* refusal = a.infeasible()) {
    const Infeasible& other = *b.infeasible();
    const bool same = refusal->constraint == other.constraint && refusal->needed == other.needed &&
                      refusal->available == other.available;
    return same ? "" : to_text(*refusal) + " and " + to_text(other);
  }
  const double slack = tolerance * b.fits()->step.time.value;
  const std::string text =
      compare(times_of(*a.fits()), times_of(*b.fits()), times, tolerance, slack);
  return text.empty() ? compare(others_of(*a.fits()), others_of(*b.fits()), 1, tolerance, 0) : text;
}

}  // namespace oracle
