#include "validate/checkpoint/safetensors.h"

#include <nlohmann/json.hpp>

#include "oracle/io/json/document.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMetadata = "__metadata__";
/// Far more than a file holds: sums of so many bytes stay within 63 bits.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50U;
constexpr std::int64_t kMostDimensions = 16;

/// Of a shape within bounds; nothing where it is none.
bool read_shape(const json::Node& node, std::vector<std::int64_t>& shape) {
  if (static_cast<std::int64_t>(node.items.size()) > kMostDimensions) return false;
  std::int64_t bytes = sizeof(float);
  for (const json::Node& item : node.items) {
    const bool counts = item.type == json::Type::integer && item.integer >= 0;
    if (!counts || (item.integer > 0 && bytes > kMostBytes / item.integer)) return false;
    bytes *= item.integer;
    shape.push_back(item.integer);
  }
  return true;
}

std::vector<std::pair<std::string, std::string>> read_metadata(const json::Node& node,
                                                               json::Problems& problems) {
  std::vector<std::pair<std::string, std::string>> texts;
  const std::string pointer = "/" + std::string(kMetadata);
  if (node.type != json::Type::object) {
    problems.add(node.line, pointer, "is not an object of texts");
    return texts;
  }
  for (const json::Member& member : node.members) {
    if (member.value.type == json::Type::string) {
      texts.emplace_back(member.name, member.value.string);
    } else {
      problems.add(member.value.line, pointer + "/" + json::pointer_step(member.name),
                   "is not a text", "metadata of safetensors are texts");
    }
  }
  return texts;
}

/// A tensor whose data begin at `begin`.
TensorEntry read_tensor(const json::Member& member, std::int64_t begin, json::Problems& problems) {
  TensorEntry entry;
  entry.name = member.name;
  const std::string pointer = "/" + json::pointer_step(member.name);
  if (member.value.type != json::Type::object) {
    problems.add(member.value.line, pointer, "is not an object");
    return entry;
  }
  json::ObjectReader reader(member.value, pointer, problems);
  if (reader.string("dtype") != "F32")
    reader.problem("dtype", "is not F32", "nothing else is read");
  const json::Node* shape = reader.array("shape", true);
  if (shape != nullptr && !read_shape(*shape, entry.shape)) {
    entry.shape = {0};
    reader.problem("shape", "is not a list of sizes");
  }
  const json::Node* offsets = reader.array("data_offsets", true);
  const bool adjoins = offsets != nullptr && offsets->items.size() == 2 &&
                       offsets->items[0].type == json::Type::integer &&
                       offsets->items[1].type == json::Type::integer &&
                       offsets->items[0].integer == begin &&
                       offsets->items[1].integer == begin + entry.bytes();
  if (offsets != nullptr && !adjoins) {
    reader.problem("data_offsets", "are not those of its shape behind the tensor before");
  }
  reader.finish();
  return entry;
}

}  // namespace

std::int64_t TensorEntry::elements() const {
  std::int64_t product = 1;
  for (const std::int64_t size : shape) product *= size;
  return product;
}

const std::string* SafetensorsHeader::find(std::string_view key) const {
  for (const auto& [name, text] : metadata) {
    if (name == key) return &text;
  }
  return nullptr;
}

std::int64_t SafetensorsHeader::data_bytes() const {
  std::int64_t sum = 0;
  for (const TensorEntry& tensor : tensors) sum += tensor.bytes();
  return sum;
}

std::string header_text(const SafetensorsHeader& header) {
  Json json = Json::object();
  if (!header.metadata.empty()) {
    Json& texts = json[std::string(kMetadata)] = Json::object();
    for (const auto& [name, text] : header.metadata) texts[name] = text;
  }
  std::int64_t begin = 0;
  for (const TensorEntry& tensor : header.tensors) {
    const std::int64_t end = begin + tensor.bytes();
    json[tensor.name] = {{"dtype", "F32"}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  std::string text = json.dump();
  text.append((kLengthBytes - text.size() % kLengthBytes) % kLengthBytes, ' ');
  return text;
}

std::string length_bytes(std::size_t header_bytes) {
  std::string bytes;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    bytes += static_cast<char>((header_bytes >> (8 * i)) & 0xffU);
  }
  return bytes;
}

std::uint64_t header_length(std::string_view bytes) {
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes && i < bytes.size(); ++i) {
    length |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  }
  return length;
}

SafetensorsHeader parse_header(std::string_view text, const std::string& name) {
  const json::Document document = json::parse(text, name);
  json::Problems problems(name);
  SafetensorsHeader header;
  if (document.root.type != json::Type::object) {
    problems.add(document.root.line, "", "is not an object of tensors");
  }
  std::int64_t begin = 0;
  for (const json::Member& member : document.root.members) {
    if (member.name == kMetadata) {
      header.metadata = read_metadata(member.value, problems);
      continue;
    }
    header.tensors.push_back(read_tensor(member, begin, problems));
    begin += header.tensors.back().bytes();
    if (begin > kMostBytes) {
      problems.add(member.value.line, "/" + json::pointer_step(member.name),
                   "is larger than a file can be");
      break;
    }
  }
  problems.raise();
  return header;
}

}  // namespace oracle
