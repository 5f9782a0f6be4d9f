#include "microbench/compute/samples_json.h"

#include <nlohmann/json.hpp>

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

void put_times(Json& json, const Series& series) {
  json["median"] = series.median();
  json["low"] = series.quantile(0.1);
  json["high"] = series.quantile(0.9);
  json["count"] = series.values().size();
}

Json json_of(const PassSamples& sample) {
  Json json = {{"layer", sample.layer}, {"pass", name_of(sample.pass.pass)}, {"type", "fp32"}};
  if (!sample.pass.optimizer.empty()) json["optimizer"] = sample.pass.optimizer;
  put_times(json, sample.series);
  json["precise"] = sample.precise;
  json["values"] = sample.series.values();
  return json;
}

Json json_of(const CopySample& sample) {
  Json json = {{"threads", sample.threads}, {"bytes", sample.bytes}};
  put_times(json, sample.series);
  return json;
}

std::string on_lines(const Json& list) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const Json& item : list) {
    text += separator + item.dump(-1, ' ', false, Json::error_handler_t::replace);
    separator = ",\n    ";
  }
  return text + "\n  ]";
}

}  // namespace

std::string samples_json(const MeasuringContext& context, const SessionResult& result) {
  Json about = Json::object(), passes = Json::array(), copies = Json::array();
  Json failures = Json::array();
  for (const auto& [name, value] : context) about[name] = value;
  for (const PassSamples& sample : result.passes) passes.push_back(json_of(sample));
  for (const CopySample& sample : result.copies) copies.push_back(json_of(sample));
  for (const CaseFailure& failure : result.failures) {
    failures.push_back({{"layer", failure.layer}, {"error", failure.error}});
  }
  return "{\n  \"schema\": \"oracle/samples/1\",\n  \"context\": " +
         about.dump(2, ' ', false, Json::error_handler_t::replace) +
         ",\n  \"compute\": " + on_lines(passes) + ",\n  \"copies\": " + on_lines(copies) +
         ",\n  \"failures\": " + on_lines(failures) + "\n}\n";
}

}  // namespace oracle
