#include "oracle/io/onnx/decode.h"

#include <cstring>
#include <limits>
#include <onnx/onnx_pb.h>
#include <unordered_set>

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

Tensor decode_tensor(const ::onnx::TensorProto& proto, const std::string& place) {
  Tensor tensor;
  tensor.dims.assign(proto.dims().begin(), proto.dims().end());
  for (const std::int64_t extent : tensor.dims) {
    if (extent >= 0 && extent <= kMostExtent) continue;
    throw InputError(place, "the tensor " + in_quotes(proto.name()) + " has an extent of " +
                                std::to_string(extent));
  }
  tensor.real = is_real(proto.data_type());
  const std::size_t count = few_elements(tensor.dims);
  const bool here = proto.data_location() != ::onnx::TensorProto::EXTERNAL;
  if (count > kMostKept || !here) return tensor;
  if (proto.data_type() == ::onnx::TensorProto::INT64) {
    tensor.integers = values_of<std::int64_t, std::int64_t>(proto, proto.int64_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::INT32) {
    tensor.integers = values_of<std::int32_t, std::int64_t>(proto, proto.int32_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::FLOAT) {
    tensor.reals = values_of<float, double>(proto, proto.float_data(), count);
  } else if (proto.data_type() == ::onnx::TensorProto::DOUBLE) {
    tensor.reals = values_of<double, double>(proto, proto.double_data(), count);
  }
  return tensor;
}

Attribute decode_attribute(const ::onnx::AttributeProto& proto, const std::string& place) {
  Attribute attribute;
  attribute.name = proto.name();
  if (proto.has_i()) attribute.integer = proto.i();
  if (proto.has_f()) attribute.real = static_cast<double>(proto.f());
  attribute.integers.assign(proto.ints().begin(), proto.ints().end());
  attribute.text = proto.s();
  if (proto.has_t()) attribute.tensor = decode_tensor(proto.t(), place);
  return attribute;
}

Node decode_node(const ::onnx::NodeProto& proto, const std::string& place) {
  Node node;
  node.name = proto.name();
  const bool own = proto.domain().empty() || proto.domain() == "ai.onnx";
  node.type = own ? proto.op_type() : proto.domain() + "." + proto.op_type();
  node.inputs.assign(proto.input().begin(), proto.input().end());
  node.outputs.assign(proto.output().begin(), proto.output().end());
  for (const auto& attribute : proto.attribute()) {
    node.attributes.push_back(decode_attribute(attribute, place));
  }
  return node;
}

Dims dims_of(const ::onnx::ValueInfoProto& proto) {
  Dims dims;
  for (const auto& dim : proto.type().tensor_type().shape().dim()) {
    const bool known = dim.has_dim_value() && dim.dim_value() > 0;
    dims.push_back(known ? std::optional(dim.dim_value()) : std::nullopt);
  }
  return dims;
}

Input decode_input(const ::onnx::ValueInfoProto& proto) {
  return {proto.name(), is_real(proto.type().tensor_type().elem_type()), dims_of(proto)};
}

}  // namespace

bool available() { return true; }

Model decode(std::string_view bytes, const std::string& place) {
  if (count_fields(bytes) > kMostFields) {
    throw InputError(place, "has more than " + std::to_string(kMostFields) + " fields",
                     "save it with its weights outside (save_as_external_data=True)");
  }
  ::onnx::ModelProto proto;
  const bool fits = bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max());
  if (!fits || !proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      !proto.has_graph() || proto.graph().node_size() == 0) {
    throw InputError(place, "is not an ONNX model, or is truncated",
                     "export it again; `python3 -m onnx.checker` says what is wrong with it");
  }
  const ::onnx::GraphProto& graph = proto.graph();
  Model model;
  for (const auto& node : graph.node()) model.nodes.push_back(decode_node(node, place));
  for (const auto& tensor : graph.initializer()) {
    if (model.constants.emplace(tensor.name(), decode_tensor(tensor, place)).second) continue;
    throw InputError(place, "the tensor " + in_quotes(tensor.name()) + " is there twice");
  }
  for (const auto& input : graph.input()) {
    if (!model.constants.contains(input.name())) model.inputs.push_back(decode_input(input));
  }
  for (const auto& output : graph.output()) model.outputs.push_back(output.name());
  for (const auto* values : {&graph.value_info(), &graph.output()}) {
    for (const auto& value : *values) {
      if (value.type().tensor_type().has_shape()) model.shapes[value.name()] = dims_of(value);
    }
  }
  return model;
}

}  // namespace oracle::onnx
