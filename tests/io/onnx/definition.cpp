#include "tests/io/onnx/definition.h"

#include <fstream>
#include <map>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>
#include <set>
#include <vector>

namespace oracle {
namespace {

using Dims = std::vector<std::int64_t>;

double elements(const Dims& dims, std::size_t from = 0) {
  double count = 1;
  for (std::size_t i = from; i < dims.size(); ++i) count *= static_cast<double>(dims[i]);
  return count;
}

bool is_real(int type) {
  return type == ::onnx::TensorProto::FLOAT || type == ::onnx::TensorProto::DOUBLE ||
         type == ::onnx::TensorProto::FLOAT16;
}

/// Operators that have products, and how many; negative where they are not counted here.
double products(const ::onnx::NodeProto& node, const std::map<std::string, Dims>& shapes) {
  const std::set<std::string> kOthers = {
      "LSTM",          "GRU",           "RNN", "Einsum", "ConvInteger", "QLinearConv",
      "MatMulInteger", "QLinearMatMul", "If",  "Loop",   "Scan"};
  if (kOthers.contains(node.op_type())) return -1;
  const std::string& type = node.op_type();
  if (type != "Conv" && type != "ConvTranspose" && type != "Gemm" && type != "MatMul") return 0;
  for (const std::string& name : {node.input(0), node.input(1), node.output(0)}) {
    if (!shapes.contains(name)) return -1;
  }
  const Dims &x = shapes.at(node.input(0)), &w = shapes.at(node.input(1)),
             &y = shapes.at(node.output(0));
  if (type == "Conv") return elements(y) * elements(w, 1);
  if (type == "ConvTranspose") return elements(x) * elements(w, 1);
  bool turned = false;
  for (const auto& attribute : node.attribute()) {
    turned = turned || (attribute.name() == "transA" && attribute.i() != 0);
  }
  return elements(y) * static_cast<double>(turned ? x.front() : x.back());
}

std::map<std::string, Dims> shapes_of(const ::onnx::GraphProto& graph) {
  std::map<std::string, Dims> shapes;
  for (const auto* values : {&graph.value_info(), &graph.input(), &graph.output()}) {
    for (const auto& value : *values) {
      if (!value.type().tensor_type().has_shape()) continue;
      Dims dims;
      for (const auto& dim : value.type().tensor_type().shape().dim()) {
        if (dim.has_dim_value()) dims.push_back(dim.dim_value());
      }
      if (static_cast<int>(dims.size()) == value.type().tensor_type().shape().dim_size()) {
        shapes[value.name()] = dims;
      }
    }
  }
  for (const auto& tensor : graph.initializer()) {
    shapes[tensor.name()] = Dims(tensor.dims().begin(), tensor.dims().end());
  }
  for (const auto& node : graph.node()) {
    if (node.op_type() != "Constant" || node.attribute_size() != 1) continue;
    const auto& tensor = node.attribute(0).t();
    shapes[node.output(0)] = Dims(tensor.dims().begin(), tensor.dims().end());
  }
  return shapes;
}

std::int64_t stored(const ::onnx::GraphProto& graph) {
  std::set<std::string> read, statistics, slopes;
  for (const auto& node : graph.node()) {
    read.insert(node.input().begin(), node.input().end());
    if (node.op_type() == "PRelu") slopes.insert(node.input(1));
    // Factors of a size are no weights either.
    if (node.op_type() == "Resize" || node.op_type() == "Upsample") {
      statistics.insert(node.input().begin() + 1, node.input().end());
    }
    for (int i = 3; node.op_type() == "BatchNormalization" && i < node.input_size(); ++i) {
      statistics.insert(node.input(i));
    }
  }
  std::int64_t count = 0;
  const auto add = [&](const std::string& name, const ::onnx::TensorProto& tensor) {
    const double size = elements(Dims(tensor.dims().begin(), tensor.dims().end()));
    const bool counts = is_real(tensor.data_type()) && read.contains(name) &&
                        !statistics.contains(name) && (size > 1 || slopes.contains(name));
    if (counts) count += static_cast<std::int64_t>(size);
  };
  for (const auto& tensor : graph.initializer()) add(tensor.name(), tensor);
  for (const auto& node : graph.node()) {
    if (node.op_type() == "Constant" && node.attribute_size() == 1) {
      add(node.output(0), node.attribute(0).t());
    }
  }
  return count;
}

}  // namespace

Definition definition_of(const std::string& file, std::int64_t batch) {
  ::onnx::ModelProto model;
  std::ifstream stream(file, std::ios::binary);
  model.ParseFromIstream(&stream);
  std::set<std::string> initializers;
  for (const auto& tensor : model.graph().initializer()) initializers.insert(tensor.name());
  Definition definition;
  definition.parameters = stored(model.graph());
  std::int64_t samples = 0;
  for (auto& input : *model.mutable_graph()->mutable_input()) {
    if (initializers.contains(input.name())) continue;
    auto* shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    ++definition.inputs;
    if (shape->dim_size() == 0) continue;
    if (!shape->dim(0).has_dim_value()) shape->mutable_dim(0)->set_dim_value(batch);
    if (samples == 0) samples = shape->dim(0).dim_value();
  }
  // What the exporter wrote of an open batch would stand in the way.
  model.mutable_graph()->clear_value_info();
  for (auto& output : *model.mutable_graph()->mutable_output()) {
    output.mutable_type()->mutable_tensor_type()->clear_shape();
  }
  try {
    ::onnx::ShapeInferenceOptions options{false, 0, true};
    ::onnx::shape_inference::InferShapes(model, ::onnx::OpSchemaRegistry::Instance(), options);
  } catch (const std::exception&) {
    return definition;
  }
  const std::map<std::string, Dims> shapes = shapes_of(model.graph());
  double total = 0;
  for (const auto& node : model.graph().node()) {
    const double made = products(node, shapes);
    if (made < 0 || samples == 0 || model.functions_size() > 0) return definition;
    total += made;
  }
  definition.multiply_adds = total / static_cast<double>(samples);
  return definition;
}

}  // namespace oracle
