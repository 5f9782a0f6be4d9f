#include "microbench/links/samples_json.h"

#include <array>
#include <nlohmann/json.hpp>

#include "microbench/timing/samples_file.h"

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

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

template <typename Times>
SamplesPart part_of(const char* name, const std::vector<Times>& all) {
  SamplesPart part{name, {}};
  for (const Times& times : all) part.rows.push_back(text_of(json_of(times)));
  return part;
}

}  // namespace

std::string link_samples_json(const MeasuringContext& context, const MeasuredLinks& measured) {
  SamplesPart links{"links", {}};
  for (const auto& [link_case, sizes] : measured.cases) {
    for (const LinkTimes& times : sizes) links.rows.push_back(text_of(json_of(link_case, times)));
  }
  return samples_text(context, std::array{links, part_of("interference", measured.interference)});
}

}  // namespace oracle
