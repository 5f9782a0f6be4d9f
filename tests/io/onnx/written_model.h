#pragma once
// Models written down in a test; no file and no protobuf.

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/io/onnx/importer.h"

namespace oracle::onnx {

/// Reads "x", batch x `extents`, and gives "y".
inline Model model_of(std::vector<Node> nodes, const Integers& extents,
                      std::unordered_map<std::string, Tensor> constants = {}) {
  Model model;
  model.nodes = std::move(nodes);
  model.constants = std::move(constants);
  Input input{"x", true, {std::nullopt}};
  for (const std::int64_t extent : extents) input.dims.emplace_back(extent);
  model.inputs = {input};
  model.outputs = {"y"};
  return model;
}

inline Node node(std::string type, std::vector<std::string> inputs, std::string output,
                 std::vector<Attribute> attributes = {}) {
  return {
      "/" + output, std::move(type), std::move(inputs), {std::move(output)}, std::move(attributes)};
}

inline Attribute whole(std::string name, std::int64_t value) {
  return {std::move(name), value, {}, {}, {}, {}};
}

inline Attribute list(std::string name, Integers values) {
  return {std::move(name), {}, {}, std::move(values), {}, {}};
}

inline Attribute word(std::string name, std::string value) {
  return {std::move(name), {}, {}, {}, std::move(value), {}};
}

inline Tensor weights(Integers dims) { return {std::move(dims), true, {}, {}}; }

inline Declared shape_of(Dims dims) {
  std::vector<std::string> names(dims.size());
  return {std::move(dims), std::move(names)};
}

inline Tensor integers(Integers values) {
  return {{static_cast<std::int64_t>(values.size())}, false, std::move(values), {}};
}

inline Tensor number(double value) { return {{}, true, {}, std::vector<double>{value}}; }

inline Graph import(const Model& model, const ModelOverrides& overrides = {}) {
  for (std::size_t spatial_rank = 0;; ++spatial_rank) {
    try {
      return Importer(model, "test", overrides, spatial_rank).run();
    } catch (const MorePositions&) {
      if (spatial_rank == 3) throw;
    }
  }
}

inline std::string refusal(const Model& model, const ModelOverrides& overrides = {}) {
  try {
    import(model, overrides);
  } catch (const InputError& error) {
    return error.what();
  }
  return "it was read";
}

}  // namespace oracle::onnx
