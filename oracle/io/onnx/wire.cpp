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
  numbers,  ///< packed integers: each of them counts
  data      ///< of a tensor, as it lies in memory
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
    Field{Message::tensor, 4, Message::data},
    Field{Message::tensor, 5, Message::numbers},
    Field{Message::tensor, 7, Message::numbers},
    Field{Message::tensor, 9, Message::data},
    Field{Message::tensor, 10, Message::data},
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

/// One field: where its payload lies, and its tag.
struct Piece {
  std::uint64_t number = 0;
  std::uint64_t kind = 0;
  std::uint64_t begin = 0;    ///< of the tag
  std::uint64_t payload = 0;  ///< its first byte
  std::uint64_t end = 0;
};

constexpr std::uint64_t kDelimited = 2;

class Walker {
 public:
  explicit Walker(ByteSource& bytes) : bytes_(bytes) {}

  /// The field at `at`, which ends before `end`; nothing where it is cut short or of no kind that
  /// protobuf has.
  std::optional<Piece> field(std::uint64_t at, std::uint64_t end) {
    Piece piece;
    piece.begin = at;
    const auto tag = varint(at, end);
    if (!tag) return {};
    piece.number = *tag >> 3U;
    piece.kind = *tag & 7U;
    std::uint64_t length = 0;
    if (piece.kind == 0) {
      piece.payload = at;
      if (!varint(at, end)) return {};
      piece.end = at;
      return piece;
    }
    if (piece.kind == 1) {
      length = 8;
    } else if (piece.kind == 5) {
      length = 4;
    } else if (piece.kind == kDelimited) {
      const auto written = varint(at, end);
      if (!written) return {};
      length = *written;
    } else if (piece.kind != 3 && piece.kind != 4) {
      return {};
    }
    if (length > end - at) return {};
    piece.payload = at;
    piece.end = at + length;
    return piece;
  }

  std::string_view read(std::uint64_t at, std::uint64_t end) {
    return bytes_.read(at, static_cast<std::size_t>(end - at));
  }

 private:
  std::optional<std::uint64_t> varint(std::uint64_t& at, std::uint64_t end) {
    constexpr std::size_t kLongest = 10;
    std::string_view bytes = bytes_.read(at, kLongest);
    if (bytes.size() > end - at) bytes = bytes.substr(0, static_cast<std::size_t>(end - at));
    std::uint64_t value = 0;
    unsigned shift = 0;
    for (const char each : bytes) {
      const auto byte = static_cast<unsigned char>(each);
      ++at;
      value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if (byte < 0x80U) return value;
      shift += 7;
      if (shift >= 64) return {};
    }
    return {};
  }

  ByteSource& bytes_;
};

bool descends(Message message, int depth) {
  const bool leaf =
      message == Message::leaf || message == Message::numbers || message == Message::data;
  return !leaf && depth < kDeepest;
}

/// Adds the fields of the message from `at` to `end` to `fields`; false where they are none.
bool count(Walker& walker, std::uint64_t at, std::uint64_t end, Message message, int depth,
           std::size_t& fields) {
  while (at < end && fields <= kMostFields) {
    const auto piece = walker.field(at, end);
    if (!piece) return false;
    ++fields;
    const Message inner = piece->kind == kDelimited ? held(message, piece->number) : Message::leaf;
    if (inner == Message::numbers) {
      fields += static_cast<std::size_t>(piece->end - piece->payload) / kBytesPerNumber;
    }
    if (descends(inner, depth) &&
        !count(walker, piece->payload, piece->end, inner, depth + 1, fields)) {
      return false;
    }
    at = piece->end;
  }
  return true;
}

void append_varint(std::string& text, std::uint64_t value) {
  while (value >= 0x80U) {
    text.push_back(static_cast<char>(value | 0x80U));
    value >>= 7U;
  }
  text.push_back(static_cast<char>(value));
}

/// Appends what is kept of the message from `at` to `end`; false where it is none, or too much.
bool keep(Walker& walker, std::uint64_t at, std::uint64_t end, Message message, int depth,
          std::string& kept) {
  while (at < end) {
    const auto piece = walker.field(at, end);
    if (!piece) return false;
    at = piece->end;
    const std::uint64_t length = piece->end - piece->payload;
    const Message inner = piece->kind == kDelimited ? held(message, piece->number) : Message::leaf;
    if (descends(inner, depth)) {
      std::string held_in_it;
      if (!keep(walker, piece->payload, piece->end, inner, depth + 1, held_in_it)) return false;
      append_varint(kept, piece->number << 3U | kDelimited);
      append_varint(kept, held_in_it.size());
      kept += held_in_it;
    } else if (message != Message::tensor || length <= kMostData) {
      if (length > kMostSkeleton) return false;
      kept += walker.read(piece->begin, piece->end);
    }
    if (kept.size() > kMostSkeleton) return false;
  }
  return true;
}

}  // namespace

std::size_t count_fields(std::string_view bytes) {
  std::size_t fields = 0;
  ByteSource source(bytes);
  Walker walker(source);
  count(walker, 0, source.size(), Message::model, 0, fields);
  return std::min(fields, kMostFields + 1);
}

std::optional<std::string> without_weights(ByteSource& bytes) {
  std::string kept;
  Walker walker(bytes);
  if (!keep(walker, 0, bytes.size(), Message::model, 0, kept)) return {};
  return kept;
}

}  // namespace oracle::onnx
