#include "oracle/graph/kinds/output_shape.h"

#include "oracle/base/error.h"
#include "oracle/graph/kinds/window.h"

namespace oracle {

double elements_read(const Layer& layer, std::span<const Shape> inputs) {
  double elements = 0;
  for (const Shape& shape : inputs) elements += static_cast<double>(shape.elements());
  return elements / static_cast<double>(layer.input.elements());
}

Shape read_output(const Layer& layer, const Attributes& attributes) {
  Shape output = layer.input;
  output[Axis::channel] = attributes.integer("features", 1, layer.input.channels());
  if (attributes.find("extents") != nullptr) {
    const auto extents = over_axes(attributes.extents("extents", layer.spatial_rank, 1, 1), 1);
    for (std::size_t axis = 0; axis < kSpatialAxes.size(); ++axis) {
      output[kSpatialAxes[axis]] = extents[axis];
    }
    output[Axis::sequence] = 1;
  } else if (attributes.find("sequence") != nullptr) {
    for (const Axis axis : kSpatialAxes) output[axis] = 1;
  }
  output[Axis::sequence] = attributes.integer("sequence", 1, output[Axis::sequence]);
  check_positions(output);
  return output;
}

void keep_what_stays(Layer& layer) {
  const bool features_stay = layer.output.channels() == layer.input.channels();
  Shape moved = layer.output;
  moved[Axis::channel] = layer.input.channels();
  layer.mixing = features_stay ? Mixing::channelwise : Mixing::whole;
  layer.reach = moved == layer.input ? Reach::pointwise : Reach::whole;
}

Shape read_operator_output(const Layer& layer, const Attributes& attributes) {
  const Shape output = read_output(layer, attributes);
  const AttributeValue* called = attributes.find("operator");
  if (called == nullptr || std::holds_alternative<std::string>(*called)) return output;
  throw InputError("", "\"operator\" must be a word");
}

}  // namespace oracle
