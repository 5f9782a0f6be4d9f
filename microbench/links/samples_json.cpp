#include "microbench/links/samples_json.h"

#include <nlohmann/json.hpp>

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const LinkCase& link_case, const LinkTimes& times) {
  return {{"level", link_case.tier},
          {"operation", name_of(link_case.action)},
          {"ranks", link_case.groups.front().size()},
          {"per_unit", link_case.per_unit},
          {"flows", link_case.flows},
          {"bytes", times.bytes},
          {"median", times.series.median()},
          {"low", times.series.quantile(0.1)},
          {"high", times.series.quantile(0.9)},
          {"count", times.series.values().size()},
          {"source", "oracle-bench-links"}};
}

Json json_of(const InterferenceTimes& times) {
  return {{"level", times.tier},
          {"operation", name_of(LinkAction::all_reduce)},
          {"bytes", times.bytes},
          {"compute_alone", times.compute_alone},
          {"compute_beside", times.compute_beside},
          {"transfer_alone", times.transfer_alone},
          {"transfer_beside", times.transfer_beside}};
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

std::string link_samples_json(const MeasuringContext& context, std::span<const MeasuredCase> cases,
                              std::span<const InterferenceTimes> interference) {
  Json about = Json::object(), links = Json::array(), beside = Json::array();
  for (const auto& [name, value] : context) about[name] = value;
  for (const MeasuredCase& measured : cases) {
    for (const LinkTimes& times : measured.times) {
      links.push_back(json_of(measured.link_case, times));
    }
  }
  for (const InterferenceTimes& times : interference) beside.push_back(json_of(times));
  return "{\n  \"schema\": \"oracle/samples/1\",\n  \"context\": " +
         about.dump(2, ' ', false, Json::error_handler_t::replace) +
         ",\n  \"links\": " + on_lines(links) + ",\n  \"interference\": " + on_lines(beside) +
         "\n}\n";
}

}  // namespace oracle
