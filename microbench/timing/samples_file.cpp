#include "microbench/timing/samples_file.h"

#include <nlohmann/json.hpp>

namespace oracle {
namespace {

std::string on_lines(const std::vector<std::string>& rows) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const std::string& row : rows) {
    text += separator + row;
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

}  // namespace

std::string samples_text(const MeasuringContext& context, std::span<const SamplesPart> parts) {
  using Json = nlohmann::ordered_json;
  Json about = Json::object();
  for (const auto& [name, value] : context) about[name] = value;
  std::string text = "{\n  \"schema\": \"oracle/samples/1\",\n  \"context\": " +
                     about.dump(2, ' ', false, Json::error_handler_t::replace);
  for (const SamplesPart& part : parts) {
    text += ",\n  \"" + part.name + "\": " + on_lines(part.rows);
  }
  return text + "\n}\n";
}

}  // namespace oracle
