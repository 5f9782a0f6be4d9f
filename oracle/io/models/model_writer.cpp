#include "oracle/io/models/model_writer.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "oracle/graph/kinds/kind.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

/// Whole numbers up to here are exact in a double.
constexpr double kMostExact = 9007199254740992.0;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// On one line, as the files of models/ are written.
std::string on_line(const Json& json) {
  if (!json.is_structured()) return text_of(json);
  std::string text = json.is_object() ? "{" : "[";
  const char* separator = "";
  for (const auto& item : json.items()) {
    text += separator;
    if (json.is_object()) text += text_of(item.key()) + ": ";
    text += on_line(item.value());
    separator = ", ";
  }
  return text + (json.is_object() ? "}" : "]");
}

Json json_of(double number) {
  if (number == std::floor(number) && std::abs(number) < kMostExact) {
    return static_cast<std::int64_t>(number);
  }
  return number;
}

Json json_of(const AttributeValue& value) {
  return std::visit([](const auto& held) { return Json(held); }, value);
}

Json input_of(const Layer& input) {
  Json json{{"channels", input.output.channels()}};
  if (input.output[Axis::sequence] > 1) json["sequence"] = input.output[Axis::sequence];
  for (std::size_t i = kSpatialAxes.size() - input.spatial_rank; i < kSpatialAxes.size(); ++i) {
    json[std::string(name_of(kSpatialAxes[i]))] = input.output[kSpatialAxes[i]];
  }
  return json;
}

/// The names that the layer reads; null where it reads the one before it.
Json from_of(const Graph& graph, LayerId id) {
  const std::vector<LayerId>& inputs = graph[id].inputs;
  if (inputs.size() == 1) {
    return inputs.front() + 1 == id ? Json() : Json(graph[inputs.front()].name);
  }
  Json names = Json::array();
  for (const LayerId input : inputs) names.push_back(graph[input].name);
  return names;
}

Json entry_of(const Graph& graph, LayerId id) {
  const Layer& layer = graph[id];
  Json json{{"name", layer.name}, {"kind", layer.kind->name}};
  if (Json from = from_of(graph, id); !from.is_null()) json["from"] = std::move(from);
  for (const auto& [name, value] : graph.written[id].all()) json[name] = json_of(value);
  for (const Weight& weight : layer.weights) {
    if (weight.owner != 0) json["shares"][weight.name] = graph[weight.owner].name;
  }
  return json;
}

Json published_of(const Published& published) {
  Json json = Json::object();
  if (published.parameters > 0) json["parameters"] = published.parameters;
  if (published.multiply_adds > 0) json["multiply_adds"] = json_of(published.multiply_adds);
  json["source"] = published.source;
  return json;
}

}  // namespace

std::string write_model(const Graph& graph) {
  Json head{{"schema", "oracle/model/1"}, {"name", graph.name}};
  if (!graph.description.empty()) head["description"] = graph.description;
  if (!graph.sources.empty()) head["sources"] = graph.sources;
  if (!graph.published.source.empty()) head["published"] = published_of(graph.published);
  head["input"] = input_of(graph.layers.front());
  std::string text = "{\n";
  for (const auto& item : head.items()) {
    text += "  " + text_of(item.key()) + ": " + on_line(item.value()) + ",\n";
  }
  text += "  \"layers\": [";
  for (LayerId id = 1; id < graph.size(); ++id) {
    text += id == 1 ? "\n    " : ",\n    ";
    text += on_line(entry_of(graph, id));
  }
  return text + "\n  ]\n}\n";
}

}  // namespace oracle
