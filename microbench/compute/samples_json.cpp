#include "microbench/compute/samples_json.h"

#include <array>
#include <nlohmann/json.hpp>
#include <span>

#include "microbench/timing/samples_file.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

/// Calls of a microsecond come by the hundred thousand; the file is read again as a whole.
constexpr std::size_t kMostKept = 200;

/// Every so many of them, in the order of their time.
std::vector<double> thinned(std::span<const double> values) {
  const std::size_t stride = (values.size() + kMostKept - 1) / kMostKept;
  std::vector<double> kept;
  for (std::size_t i = 0; i < values.size(); i += stride) kept.push_back(values[i]);
  return kept;
}

void put_times(Json& json, const Series& series) {
  json["median"] = series.median();
  json["mean"] = series.mean();
  json["low"] = series.quantile(0.1);
  json["high"] = series.quantile(0.9);
  json["count"] = series.values().size();
}

Json json_of(const std::string& layer, const BenchPass& pass, const std::string& type) {
  Json json = {{"layer", layer}, {"pass", name_of(pass.pass)}, {"type", type}};
  if (!pass.optimizer.empty()) json["optimizer"] = pass.optimizer;
  return json;
}

Json json_of(const PassSamples& sample) {
  Json json = json_of(sample.layer, sample.pass, sample.type);
  put_times(json, sample.series);
  json["precise"] = sample.precise;
  json["values"] = thinned(sample.series.values());
  return json;
}

Json json_of(const CopySample& sample) {
  Json json = {{"threads", sample.threads}, {"bytes", sample.bytes}};
  put_times(json, sample.series);
  json["pack"] = sample.pack.mean();
  json["unpack"] = sample.unpack.mean();
  return json;
}

Json json_of(const CompressionTimes& sample) {
  Json json = {{"step", sample.step},     {"exchange", sample.exchange}, {"type", sample.type},
               {"inputs", sample.inputs}, {"input", sample.input},       {"output", sample.output}};
  put_times(json, sample.series);
  return json;
}

Json json_of(const CrowdSample& sample) {
  Json json = json_of(sample.layer, sample.pass, sample.type);
  json["ranks"] = sample.ranks;
  json["alone"] = sample.alone.median();
  json["beside"] = sample.beside.median();
  json["count"] = sample.beside.values().size();
  json["sharing"] = sample.sharing;
  return json;
}

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string samples_json(const MeasuringContext& context, const SessionResult& result) {
  SamplesPart passes{"compute", {}}, copies{"copies", {}}, crowd{"crowd", {}},
      compressions{"compressions", {}}, failures{"failures", {}};
  for (const PassSamples& sample : result.passes) passes.rows.push_back(text_of(json_of(sample)));
  for (const CopySample& sample : result.copies) copies.rows.push_back(text_of(json_of(sample)));
  for (const CompressionTimes& sample : result.compressions) {
    compressions.rows.push_back(text_of(json_of(sample)));
  }
  for (const CrowdSample& sample : result.crowd) crowd.rows.push_back(text_of(json_of(sample)));
  for (const CaseFailure& failure : result.failures) {
    failures.rows.push_back(text_of({{"layer", failure.layer}, {"error", failure.error}}));
  }
  return samples_text(context, std::array{passes, compressions, copies, crowd, failures});
}

}  // namespace oracle
