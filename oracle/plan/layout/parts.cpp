#include "oracle/plan/layout/parts.h"

#include <algorithm>
#include <vector>

namespace oracle {
namespace {

bool contains(AxisSet axes, std::size_t axis) { return ((axes >> axis) & 1U) != 0; }

std::int64_t product(std::span<const std::int64_t> degrees, const PartOrder& order, AxisSet over) {
  std::int64_t product = 1;
  for (const std::size_t a : order) product *= contains(over, a) ? degrees[a] : 1;
  return product;
}

/// True where the parts of one share lie side by side: `over` are the outermost axes.
bool side_by_side(const Parts& parts, AxisSet over) {
  bool inside = false;
  for (const std::size_t a : parts.order) {
    if (parts.degrees[a] == 1) continue;
    if (inside && contains(over, a)) return false;
    inside = inside || !contains(over, a);
  }
  return true;
}

/// The digits of a part, by mesh axis.
using Digits = std::array<std::int64_t, kMaxMeshAxes>;

Digits digits_of(const Parts& parts, std::int64_t part) {
  Digits digits{};
  for (std::size_t i = parts.order.size(); i-- > 0;) {
    const std::int64_t degree = parts.degrees[parts.order[i]];
    digits[parts.order[i]] = part % degree;
    part /= degree;
  }
  return digits;
}

/// The digits over `axes` as one number, the outermost counting most.
std::int64_t number_of(const Digits& digits, const PartOrder& axes,
                       std::span<const std::int64_t> degrees) {
  std::int64_t number = 0;
  for (const std::size_t a : axes) number = number * degrees[a] + digits[a];
  return number;
}

}  // namespace

std::int64_t Parts::count() const { return product(degrees, order, ~AxisSet{0}); }

std::int64_t Parts::begin_of(std::int64_t part) const {
  return part * (extent / grain) / count() * grain;
}

std::int64_t largest_share(const Parts& parts, AxisSet over) {
  const std::int64_t shares = product(parts.degrees, parts.order, over);
  const std::int64_t grains = parts.extent / parts.grain;
  if (grains % parts.count() == 0 || side_by_side(parts, over)) {
    return (grains + shares - 1) / shares * parts.grain;
  }
  PartOrder axes;
  for (const std::size_t a : parts.order) {
    if (contains(over, a)) axes.push_back(a);
  }
  std::vector<std::int64_t> held(static_cast<std::size_t>(shares), 0);
  for (std::int64_t part = 0; part < parts.count(); ++part) {
    const std::int64_t share = number_of(digits_of(parts, part), axes, parts.degrees);
    held[static_cast<std::size_t>(share)] += parts.begin_of(part + 1) - parts.begin_of(part);
  }
  return *std::max_element(held.begin(), held.end());
}

std::int64_t most_renumbered(const Parts& parts, const PartOrder& wanted) {
  const Parts target{parts.extent, parts.grain, wanted, parts.degrees};
  const std::int64_t count = parts.count();
  const std::int64_t inside = count / target.count();
  const auto owner = [&](std::int64_t part) {
    return number_of(digits_of(parts, part), wanted, parts.degrees);
  };
  const std::int64_t grains = parts.extent / parts.grain;
  if (grains % count == 0) {
    // Of equal parts an owner sends all but those that it is to have.
    std::int64_t fewest = inside;
    for (std::int64_t own = 0; own < target.count() && fewest > 0; ++own) {
      std::int64_t stays = 0;
      for (std::int64_t i = 0; i < inside; ++i) stays += owner(own * inside + i) == own ? 1 : 0;
      fewest = std::min(fewest, stays);
    }
    return (inside - fewest) * (grains / count) * parts.grain;
  }
  std::vector<std::int64_t> sent(static_cast<std::size_t>(target.count()), 0);
  for (std::int64_t part = 0; part < count; ++part) {
    const std::int64_t own = owner(part);
    if (own == part / inside) continue;
    sent[static_cast<std::size_t>(own)] += parts.begin_of(part + 1) - parts.begin_of(part);
  }
  return *std::max_element(sent.begin(), sent.end());
}

}  // namespace oracle
