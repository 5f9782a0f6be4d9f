#include "oracle/graph/layer_case.h"

#include <charconv>
#include <optional>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/split.h"
#include "oracle/graph/graph.h"
#include "oracle/graph/kinds/kind.h"
#include "oracle/graph/limits.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSamples = 1'000'000'000;
constexpr std::size_t kMostInputs = 64;
constexpr const char* kForm = "write it as \"convolution 8:64x56x56 features=64 kernel=3 pad=1\"";

[[noreturn]] void refuse(std::string_view part, const char* why) {
  throw InputError("", in_quotes(part) + why, kForm);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t extent_of(std::string_view text, std::string_view whole) {
  const auto value = whole_number(text);
  if (!value || *value < 1 || *value > kMostElements) refuse(whole, " has no such extents");
  return *value;
}

/// Channels, then the last spatial axes, then tokens.
Shape shape_of(std::string_view text, std::size_t& rank) {
  const std::size_t at = text.find('@');
  const std::vector<std::string_view> extents = split(text.substr(0, at), 'x');
  if (extents.size() > kSpatialAxes.size() + 1) refuse(text, " has more than four extents");
  rank = extents.size() - 1;
  Shape shape;
  shape[Axis::channel] = extent_of(extents[0], text);
  for (std::size_t i = 0; i < rank; ++i) {
    shape[kSpatialAxes[kSpatialAxes.size() - rank + i]] = extent_of(extents[i + 1], text);
  }
  if (at != std::string_view::npos) {
    shape[Axis::sequence] = extent_of(text.substr(at + 1), text);
  }
  return shape;
}

AttributeValue value_of(std::string_view text) {
  if (text == "true" || text == "false") return text == "true";
  std::vector<std::int64_t> numbers;
  for (const std::string_view part : split(text, ',')) {
    const auto number = whole_number(part);
    if (!number) return std::string(text);
    numbers.push_back(*number);
  }
  if (numbers.size() == 1) return numbers.front();
  return numbers;
}

std::string text_of(const AttributeValue& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* word = std::get_if<std::string>(&value)) return *word;
  std::string text;
  for (const std::int64_t number : std::get<std::vector<std::int64_t>>(value)) {
    text += (text.empty() ? "" : ",") + std::to_string(number);
  }
  return text;
}

void read_tensors(std::string_view text, LayerCase& out) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) refuse(text, " has no samples");
  const auto samples = whole_number(text.substr(0, colon));
  if (!samples || *samples < 1 || *samples > kMostSamples) refuse(text, " has no such samples");
  out.samples = *samples;
  for (const std::string_view tensor : split(text.substr(colon + 1), '+')) {
    if (out.inputs.size() == kMostInputs) refuse(text, " has too many inputs");
    std::size_t rank = 0;
    out.inputs.push_back(shape_of(tensor, rank));
    if (out.inputs.size() > 1 && rank != out.spatial_rank) {
      refuse(text, " has inputs of different axes");
    }
    out.spatial_rank = rank;
  }
}

void read_attribute(std::string_view text, Attributes& attributes) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string_view::npos || equals + 1 == text.size()) {
    refuse(text, " is not an attribute");
  }
  const std::string name(text.substr(0, equals));
  if (attributes.find(name) != nullptr) refuse(text, " is written twice");
  attributes.set(name, value_of(text.substr(equals + 1)));
}

std::string text_of(const Shape& shape, std::size_t rank) {
  std::string text = std::to_string(shape.channels());
  for (std::size_t i = kSpatialAxes.size() - rank; i < kSpatialAxes.size(); ++i) {
    text += "x" + std::to_string(shape[kSpatialAxes[i]]);
  }
  if (shape[Axis::sequence] > 1) text += "@" + std::to_string(shape[Axis::sequence]);
  return text;
}

void check_size(const LayerCase& of, const Shape& tensor, const char* name) {
  bounded_product({of.samples, tensor.channels(), tensor[Axis::depth], tensor[Axis::height],
                   tensor[Axis::width], tensor[Axis::sequence]},
                  name);
}

}  // namespace

LayerCase parse_layer_case(std::string_view text) {
  const std::vector<std::string_view> words = split(text, ' ');
  if (words.size() < 2) refuse(text, " is not a layer on samples");
  LayerCase out;
  out.kind = words[0];
  read_tensors(words[1], out);
  for (std::size_t i = 2; i < words.size(); ++i) read_attribute(words[i], out.attributes);
  return out;
}

std::string to_text(const LayerCase& of) {
  std::string text = of.kind + " " + std::to_string(of.samples);
  const char* separator = ":";
  for (const Shape& input : of.inputs) {
    text += separator + text_of(input, of.spatial_rank);
    separator = "+";
  }
  for (const auto& [name, value] : of.attributes.all()) text += " " + name + "=" + text_of(value);
  return text;
}

Layer layer_of(const LayerCase& of) {
  const Kind& kind = require_kind(of.kind);
  check_attributes(kind, of.attributes);
  if (of.inputs.size() < kind.least_inputs || of.inputs.size() > kind.most_inputs) {
    throw InputError("", in_quotes(to_text(of)) + " has another number of inputs than its kind",
                     kForm);
  }
  for (const Shape& input : of.inputs) check_size(of, input, "an input");
  Layer layer;
  layer.name = to_text(of);
  layer.kind = &kind;
  // Which layers made the inputs is no one's concern; how many there are is.
  layer.inputs.assign(of.inputs.size(), 0);
  layer.input = of.inputs.front();
  layer.spatial_rank = of.spatial_rank;
  kind.describe(layer, of.attributes, of.inputs);
  check_size(of, layer.output, "the output");
  return layer;
}

}  // namespace oracle
