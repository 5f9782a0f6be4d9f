#include "oracle/io/onnx/shapes.h"

#include <algorithm>
#include <numeric>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/graph/limits.h"

namespace oracle::onnx {
namespace {

std::string text(const Integers& dims) {
  std::string text;
  for (const std::int64_t extent : dims) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return dims.empty() ? "one number" : text;
}

/// How many places lie from `start` to `end`, `step` apart, as ONNX clamps them.
Taken places(std::int64_t start, std::int64_t end, std::int64_t step, std::int64_t extent) {
  if (step == 0) throw InputError("", "a step of 0");
  const auto inside = [extent](std::int64_t at, std::int64_t least, std::int64_t most) {
    if (at < 0) at = at < -extent ? -1 : at + extent;
    return std::clamp(at, least, most);
  };
  if (step > 0) {
    const std::int64_t first = start < -extent ? 0 : inside(start, 0, extent);
    const std::int64_t last = end < -extent ? 0 : inside(end, 0, extent);
    return {first, last > first ? (last - first - 1) / step + 1 : 0, step};
  }
  const std::int64_t first = inside(start, -1, extent - 1);
  const std::int64_t last = inside(end, -1, extent - 1);
  return {first, first > last ? (last - first + 1) / step + 1 : 0, step};
}

}  // namespace

std::int64_t elements_of(const Integers& dims) {
  std::int64_t count = 1;
  for (const std::int64_t extent : dims) count = bounded_product({count, extent}, "a tensor");
  return count;
}

Integers broadcast(const Integers& a, const Integers& b) {
  Integers wide = a.size() < b.size() ? b : a;
  const Integers& narrow = a.size() < b.size() ? a : b;
  const std::size_t ahead = wide.size() - narrow.size();
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    std::int64_t& extent = wide[ahead + i];
    if (extent == narrow[i] || narrow[i] == 1) continue;
    if (extent != 1) {
      throw InputError(
          "", "its inputs are " + text(a) + " and " + text(b) + ", which cannot be broadcast");
    }
    extent = narrow[i];
  }
  return wide;
}

Integers reshape_of(const Integers& target, const Integers& from, bool zero_is_zero) {
  Integers dims = target;
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 0 && !zero_is_zero && i < from.size()) dims[i] = from[i];
    if (dims[i] == -1 && open == nullptr) {
      open = &dims[i];
    } else if (dims[i] < 0) {
      throw InputError("", "it does not say which extents it makes");
    } else {
      known = bounded_product({known, dims[i]}, "its output");
    }
  }
  const std::int64_t elements = elements_of(from);
  const bool fits = open == nullptr ? elements == known : known != 0 && elements % known == 0;
  if (!fits) {
    throw InputError(
        "", "it does not keep the number of elements: " + text(from) + " to " + text(target));
  }
  if (open != nullptr) *open = elements / known;
  return dims;
}

std::vector<Taken> slice_of(const Integers& dims, const Integers& starts, const Integers& ends,
                            const Integers& axes, const Integers& steps) {
  const bool fits = starts.size() == ends.size() &&
                    (axes.empty() || axes.size() == starts.size()) &&
                    (steps.empty() || steps.size() == starts.size());
  if (!fits) throw InputError("", "its ranges are not given for each axis");
  std::vector<Taken> taken;
  for (const std::int64_t extent : dims) taken.push_back({0, extent, 1});
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis =
        axis_of(axes.empty() ? static_cast<std::int64_t>(i) : axes[i], dims.size());
    taken[axis] = places(starts[i], ends[i], steps.empty() ? 1 : steps[i], dims[axis]);
  }
  return taken;
}

Integers split_of(std::int64_t extent, const Integers& written, std::size_t outputs) {
  Integers parts = written;
  const auto count = static_cast<std::int64_t>(outputs);
  if (parts.empty() && count > 0) {
    const std::int64_t each = (extent + count - 1) / count;
    parts = Integers(outputs, each);
    parts.back() = extent - (count - 1) * each;
  }
  std::int64_t sum = 0;
  bool fits = parts.size() == outputs;
  for (const std::int64_t part : parts) {
    fits = fits && part >= 0 && part <= extent;
    sum += fits ? part : 0;
  }
  if (fits && sum == extent) return parts;
  throw InputError("", "its parts are not those of an axis of " + std::to_string(extent));
}

std::size_t flatten_axis(const Node& node, std::size_t rank) {
  const std::int64_t written = integer_of(node, "axis", 1);
  if (written == static_cast<std::int64_t>(rank)) return rank;
  return axis_of(written, std::max<std::size_t>(1, rank));
}

Integers flatten_of(const Integers& dims, std::size_t axis) {
  const auto middle = dims.begin() + static_cast<std::ptrdiff_t>(axis);
  return {elements_of(Integers(dims.begin(), middle)), elements_of(Integers(middle, dims.end()))};
}

std::vector<std::size_t> reduced_axes(const Node& node, std::vector<std::size_t> named,
                                      std::size_t rank) {
  if (node.type.starts_with("Arg")) return {axis_of(integer_of(node, "axis", 0), rank)};
  if (named.empty() && integer_of(node, "noop_with_empty_axes", 0) == 0) {
    named.resize(rank);
    std::iota(named.begin(), named.end(), std::size_t{0});
  }
  return named;
}

std::vector<std::size_t> order_of(const Node& node, std::size_t rank) {
  Integers order = list_of(node, "perm");
  if (order.empty()) {
    for (std::size_t i = rank; i > 0; --i) order.push_back(static_cast<std::int64_t>(i) - 1);
  }
  std::vector<bool> taken(rank, false);
  std::vector<std::size_t> axes;
  for (const std::int64_t each : order) {
    const std::size_t from = axis_of(each, rank);
    if (taken[from]) throw InputError("", "\"perm\" names an axis twice");
    taken[from] = true;
    axes.push_back(from);
  }
  if (axes.size() != rank) throw InputError("", "\"perm\" does not fit its input");
  return axes;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto axes = static_cast<std::int64_t>(rank);
  if (axis < -axes || axis >= axes) {
    throw InputError("",
                     "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank));
  }
  return static_cast<std::size_t>(axis < 0 ? axis + axes : axis);
}

std::vector<std::size_t> axes_of(const Integers& axes, std::size_t rank) {
  std::vector<std::size_t> found;
  for (const std::int64_t axis : axes) found.push_back(axis_of(axis, rank));
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Integers reduced(const Integers& dims, const std::vector<std::size_t>& axes, bool keep) {
  Integers left;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const bool gone = std::find(axes.begin(), axes.end(), i) != axes.end();
    if (!gone) left.push_back(dims[i]);
    if (gone && keep) left.push_back(1);
  }
  return left;
}

std::int64_t integer_of(const Node& node, std::string_view name, std::int64_t fallback) {
  const Attribute* attribute = node.find(name);
  return attribute == nullptr || !attribute->integer ? fallback : *attribute->integer;
}

Integers integers_of(const Node& node, std::string_view name, std::size_t count,
                     std::int64_t fallback) {
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr || attribute->integers.empty()) return Integers(count, fallback);
  if (attribute->integers.size() == count) return attribute->integers;
  throw InputError("", in_quotes(name) + " has " + std::to_string(attribute->integers.size()) +
                           " numbers and needs " + std::to_string(count));
}

Integers list_of(const Node& node, std::string_view name) {
  const Attribute* attribute = node.find(name);
  return attribute == nullptr ? Integers{} : attribute->integers;
}

std::string text_of(const Node& node, std::string_view name, std::string fallback) {
  const Attribute* attribute = node.find(name);
  if (attribute == nullptr || attribute->text.empty()) return fallback;
  return attribute->text;
}

}  // namespace oracle::onnx
