#include "oracle/io/onnx/wire.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace oracle::onnx {
namespace {

/// The messages of onnx.proto that hold others, or many numbers.
enum class Message : std::uint8_t {
  model,
  graph,
  node,
  attribute,
  tensor,
  sparse_tensor,
  value,
  type,
  tensor_type,
  shape,
  inner_type,
  map_type,
  training,
  function,
  annotation,
  leaf,
  numbers
};

/// Which message a field of another holds; leaf where it holds none that is worth counting.
struct Field {
  Message of;
  std::uint64_t number;
  Message holds;
};

constexpr std::array kFields = {
    Field{Message::model, 7, Message::graph},
    Field{Message::model, 20, Message::training},
    Field{Message::model, 25, Message::function},
    Field{Message::training, 1, Message::graph},
    Field{Message::training, 2, Message::graph},
    Field{Message::function, 7, Message::node},
    Field{Message::function, 11, Message::attribute},
    Field{Message::graph, 1, Message::node},
    Field{Message::graph, 5, Message::tensor},
    Field{Message::graph, 11, Message::value},
    Field{Message::graph, 12, Message::value},
    Field{Message::graph, 13, Message::value},
    Field{Message::graph, 14, Message::annotation},
    Field{Message::graph, 15, Message::sparse_tensor},
    Field{Message::node, 5, Message::attribute},
    Field{Message::attribute, 5, Message::tensor},
    Field{Message::attribute, 6, Message::graph},
    Field{Message::attribute, 8, Message::numbers},
    Field{Message::attribute, 10, Message::tensor},
    Field{Message::attribute, 11, Message::graph},
    Field{Message::attribute, 14, Message::type},
    Field{Message::attribute, 15, Message::type},
    Field{Message::attribute, 22, Message::sparse_tensor},
    Field{Message::attribute, 23, Message::sparse_tensor},
    Field{Message::tensor, 1, Message::numbers},
    Field{Message::tensor, 5, Message::numbers},
    Field{Message::tensor, 7, Message::numbers},
    Field{Message::tensor, 11, Message::numbers},
    Field{Message::sparse_tensor, 1, Message::tensor},
    Field{Message::sparse_tensor, 2, Message::tensor},
    Field{Message::sparse_tensor, 3, Message::numbers},
    Field{Message::value, 2, Message::type},
    Field{Message::type, 1, Message::tensor_type},
    Field{Message::type, 4, Message::inner_type},
    Field{Message::type, 5, Message::map_type},
    Field{Message::type, 8, Message::tensor_type},
    Field{Message::type, 9, Message::inner_type},
    Field{Message::inner_type, 1, Message::type},
    Field{Message::map_type, 2, Message::type},
    Field{Message::tensor_type, 2, Message::shape},
    Field{Message::shape, 1, Message::leaf},
};

constexpr std::size_t kBytesPerNumber = 8;
/// protobuf's own limit.
constexpr int kDeepest = 100;

Message held(Message message, std::uint64_t number) {
  const auto* found = std::find_if(kFields.begin(), kFields.end(), [&](const Field& field) {
    return field.of == message && field.number == number;
  });
  return found == kFields.end() ? Message::leaf : found->holds;
}

std::optional<std::uint64_t> take_varint(std::string_view& bytes) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
    if (byte < 0x80U) return value;
  }
  return {};
}

/// Takes what follows a field's tag; none where it is cut short or of no kind that protobuf has.
std::optional<std::string_view> take_payload(std::string_view& bytes, std::uint64_t kind) {
  std::uint64_t length = 0;
  if (kind == 0) {
    return take_varint(bytes) ? std::optional(std::string_view{}) : std::nullopt;
  }
  if (kind == 1) {
    length = 8;
  } else if (kind == 5) {
    length = 4;
  } else if (kind == 2) {
    const auto written = take_varint(bytes);
    if (!written) return {};
    length = *written;
  } else if (kind != 3 && kind != 4) {
    return {};
  }
  if (length > bytes.size()) return {};
  const std::string_view payload = bytes.substr(0, length);
  bytes.remove_prefix(length);
  return payload;
}

/// Adds the fields of `bytes` to `count`; false where they are no message.
bool count(std::string_view bytes, Message message, int depth, std::size_t& fields) {
  while (!bytes.empty() && fields <= kMostFields) {
    const auto tag = take_varint(bytes);
    if (!tag) return false;
    const std::uint64_t kind = *tag & 7U;
    const auto payload = take_payload(bytes, kind);
    if (!payload) return false;
    ++fields;
    const Message inner = kind == 2 ? held(message, *tag >> 3U) : Message::leaf;
    if (inner == Message::numbers) fields += payload->size() / kBytesPerNumber;
    const bool descends = inner != Message::leaf && inner != Message::numbers && depth < kDeepest;
    if (descends && !count(*payload, inner, depth + 1, fields)) return false;
  }
  return true;
}

}  // namespace

std::size_t count_fields(std::string_view bytes) {
  std::size_t fields = 0;
  count(bytes, Message::model, 0, fields);
  return std::min(fields, kMostFields + 1);
}

}  // namespace oracle::onnx
