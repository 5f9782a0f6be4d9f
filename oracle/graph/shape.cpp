#include "oracle/graph/shape.h"

namespace oracle {

std::string_view name_of(Axis axis) {
  constexpr std::array<std::string_view, kAxisCount> kNames = {"sample", "channel", "depth",
                                                               "height", "width",   "sequence"};
  return kNames[static_cast<std::size_t>(axis)];
}

std::string to_text(const Shape& shape) {
  std::string text = std::to_string(shape.channels());
  for (const Axis axis : {Axis::depth, Axis::height, Axis::width, Axis::sequence}) {
    if (shape[axis] > 1) text += "x" + std::to_string(shape[axis]);
  }
  return text;
}

}  // namespace oracle
