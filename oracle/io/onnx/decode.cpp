#include "oracle/io/onnx/decode.h"

#include <cstring>
#include <onnx/onnx_pb.h>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/io/onnx/wire.h"

namespace oracle::onnx {
namespace {

/// The elements of `dims`, or more than kMostKept.
std::size_t few_elements(const Integers& dims) {
  std::size_t count = 1;
  for (const std::int64_t extent : dims) {
    if (extent == 0) return 0;
    if (static_cast<std::uint64_t>(extent) > kMostKept) return kMostKept + 1;
    count = std::min(count * static_cast<std::size_t>(extent), kMostKept + 1);
  }
  return count;
}

/// The elements of `raw` as `Stored`; none where their number is another.
template <typename Stored, typename Kept>
std::optional<std::vector<Kept>> from_bytes(const std::string& raw, std::size_t count) {
  if (raw.size() != count * sizeof(Stored)) return {};
  std::vector<Kept> values;
  for (std::size_t i = 0; i < count; ++i) {
    Stored value{};
    std::memcpy(&value, raw.data() + i * sizeof(Stored), sizeof(Stored));
    values.push_back(static_cast<Kept>(value));
  }
  return values;
}

template <typename Stored, typename Kept, typename Field>
std::optional<std::vector<Kept>> values_of(const ::onnx::TensorProto& proto, const Field& field,
                                           std::size_t count) {
  if (proto.has_raw_data()) return from_bytes<Stored, Kept>(proto.raw_data(), count);
  if (static_cast<std::size_t>(field.size()) != count) return {};
  return std::vector<Kept>(field.begin(), field.end());
}

bool is_real(std::int32_t type) {
  return type == ::onnx::TensorProto::FLOAT || type == ::onnx::TensorProto::DOUBLE ||
         type == ::onnx::TensorProto::FLOAT16 || type == ::onnx::TensorProto::BFLOAT16;
}

void check_dims(const Tensor& tensor, const std::string& name, const std::string& place) {
  for (const std::int64_t extent : tensor.dims) {
    if (extent >= 0 && extent <= kMostExtent) continue;
    throw InputError(
        place, "the tensor " + in_quotes(name) + " has an extent of " + std::to_string(extent));
  }
}

Tensor decode_tensor(const ::onnx::TensorProto& proto, const std::string& place) {
  Tensor tensor;
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  check_dims(tensor, proto.name(), place);
  tensor.real = is_real(proto.data_type());
  const std::size_t count = few_elements(tensor.dims);
  const bool here = proto.data_location() != ::onnx::TensorProto::EXTERNAL;
  if (count > kMostKept || !here) return tensor;
  if (proto.data_type() == ::onnx::TensorProto::INT64) {
    tensor.integers = values_of<std::int64_t, std::int64_t>(proto, proto.int64_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::BOOL ||
             proto.data_type() == ::onnx::TensorProto::UINT8) {
    tensor.integers = values_of<std::uint8_t, std::int64_t>(proto, proto.int32_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::INT8) {
    tensor.integers = values_of<std::int8_t, std::int64_t>(proto, proto.int32_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::INT32) {
    tensor.integers = values_of<std::int32_t, std::int64_t>(proto, proto.int32_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::FLOAT) {
    tensor.reals = values_of<float, double>(proto, proto.float_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::DOUBLE) {
    tensor.reals = values_of<double, double>(proto, proto.double_data(), count);
  }
  return tensor;
}

void decode_graph(const ::onnx::GraphProto& graph, const std::string& place, Model& model);

/// Of a sparse tensor, what is stored counts.
Tensor decode_sparse(const ::onnx::SparseTensorProto& proto, const std::string& place) {
  Tensor tensor = decode_tensor(proto.values(), place);
  const std::int64_t stored = tensor.elements();
  tensor.sources = {{proto.values().name(), stored}};
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  check_dims(tensor, proto.values().name(), place);
  tensor.integers.reset();
  tensor.reals.reset();
  return tensor;
}

Attribute decode_attribute(const ::onnx::AttributeProto& proto, const std::string& place) {
  Attribute attribute;
  attribute.name = proto.name();
  attribute.refers_to = proto.ref_attr_name();
  if (proto.has_i()) attribute.integer = proto.i();
  if (proto.has_f()) attribute.real = static_cast<double>(proto.f());
  attribute.integers.assign(proto.ints().begin(), proto.ints().end());
  attribute.reals.assign(proto.floats().begin(), proto.floats().end());
  attribute.text = proto.s();
  if (proto.has_t()) attribute.tensor = decode_tensor(proto.t(), place);
  if (proto.has_sparse_tensor()) attribute.tensor = decode_sparse(proto.sparse_tensor(), place);
  if (proto.has_g()) {
    auto graph = std::make_shared<Model>();
    decode_graph(proto.g(), place, *graph);
    attribute.graph = std::move(graph);
  }
  return attribute;
}

bool is_own(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

Node decode_node(const ::onnx::NodeProto& proto, const std::string& place) {
  Node node;
  node.name = proto.name();
  node.type = is_own(proto.domain()) ? proto.op_type() : proto.domain() + "." + proto.op_type();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& attribute : proto.attribute()) {
    node.attributes.push_back(decode_attribute(attribute, place));
  }
  return node;
}

Declared declared(const ::onnx::ValueInfoProto& proto) {
  Declared shape;
  for (const auto& dim : proto.type().tensor_type().shape().dim()) {
    const bool known = dim.has_dim_value() && dim.dim_value() > 0;
    shape.dims.push_back(known ? std::optional(dim.dim_value()) : std::nullopt);
    shape.names.push_back(dim.dim_param());
  }
  return shape;
}

Input decode_input(const ::onnx::ValueInfoProto& proto) {
  Declared shape = declared(proto);
  return {proto.name(), is_real(proto.type().tensor_type().elem_type()), std::move(shape.dims),
          std::move(shape.names)};
}

void add_constant(Model& model, const std::string& name, Tensor tensor, const std::string& place) {
  if (model.constants.emplace(name, std::move(tensor)).second) return;
  throw InputError(place, "the tensor " + in_quotes(name) + " is there twice");
}

void decode_graph(const ::onnx::GraphProto& graph, const std::string& place, Model& model) {
  for (const auto& node : graph.node()) model.nodes.push_back(decode_node(node, place));
  for (const auto& tensor : graph.initializer()) {
    add_constant(model, tensor.name(), decode_tensor(tensor, place), place);
  }
  for (const auto& tensor : graph.sparse_initializer()) {
    add_constant(model, tensor.values().name(), decode_sparse(tensor, place), place);
  }
  for (const auto& input : graph.input()) {
    if (!model.constants.contains(input.name())) model.inputs.push_back(decode_input(input));
  }
  for (const auto& output : graph.output()) model.outputs.push_back(output.name());
  for (const auto* values : {&graph.value_info(), &graph.output()}) {
    for (const auto& value : *values) {
      if (value.type().tensor_type().has_shape()) model.shapes[value.name()] = declared(value);
    }
  }
}

void decode_function(const ::onnx::FunctionProto& proto, const std::string& place, Model& model) {
  Function function;
  function.inputs.assign(proto.input().begin(), proto.input().end());
  function.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& node : proto.node()) function.nodes.push_back(decode_node(node, place));
  const std::string name =
      is_own(proto.domain()) ? proto.name() : proto.domain() + "." + proto.name();
  model.functions.insert_or_assign(name, std::move(function));
}

}  // namespace

bool available() { return true; }

Model decode(ByteSource& bytes, const std::string& place) {
  const auto refuse = [&] {
    throw InputError(place, "is not an ONNX model, or is truncated",
                     "export it again; `python3 -m onnx.checker` says what is wrong with it");
  };
  const std::optional<std::string> kept = without_weights(bytes);
  if (!kept) refuse();
  if (count_fields(*kept) > kMostFields) {
    throw InputError(place, "has more than " + std::to_string(kMostFields) + " fields",
                     "export one network, without a list of values in it");
  }
  ::onnx::ModelProto proto;
  if (!proto.ParseFromArray(kept->data(), static_cast<int>(kept->size())) || !proto.has_graph() ||
      proto.graph().node_size() == 0) {
    refuse();
  }
  Model model;
  decode_graph(proto.graph(), place, model);
  for (const auto& set : proto.opset_import()) {
    if (is_own(set.domain())) model.opset = set.version();
  }
  for (const auto& function : proto.functions()) decode_function(function, place, model);
  return model;
}

}  // namespace oracle::onnx
