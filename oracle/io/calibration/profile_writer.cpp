#include <nlohmann/json.hpp>

#include "oracle/graph/layer.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/io/clusters/cluster_writer.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string_view pass_name(std::uint8_t pass) { return name_of(static_cast<Pass>(pass)); }

/// What differs from the key of nothing.
Json json_of(const KernelTime& kernel) {
  const KernelKey& key = kernel.key;
  const KernelKey usual;
  Json json = {{"kind", key.kind}};
  if (!key.variant.empty()) json["variant"] = key.variant;
  json["pass"] = pass_name(key.pass);
  json["type"] = name_of(key.type);
  json["samples"] = key.samples;
  if (key.inputs != usual.inputs) json["inputs"] = key.inputs;
  json["input"] = key.input;
  json["output"] = key.output;
  if (key.kernel != usual.kernel) json["kernel"] = key.kernel;
  if (key.stride != usual.stride) json["stride"] = key.stride;
  if (key.dilation != usual.dilation) json["dilation"] = key.dilation;
  if (key.groups != usual.groups) json["groups"] = key.groups;
  if (key.contraction) json["contraction"] = true;
  if (key.entries != usual.entries) json["entries"] = key.entries;
  if (key.others != usual.others) json["others"] = key.others;
  json["seconds"] = kernel.cost.time.value;
  json["uncertainty"] = kernel.cost.uncertainty;
  return json;
}

/// The parts of a plain model, among those of its fit.
Json json_of(const PlainModel& plain) {
  Json json = {{"launch", plain.launch.value},
               {"per_operation", plain.per_operation},
               {"per_element", plain.per_element}};
  for (const FullCache& full : plain.full_caches) {
    json["full_caches"].push_back({{"elements", full.elements}, {"per_element", full.per_element}});
  }
  return json;
}

Json json_of(const KernelFit& fit) {
  Json weights = Json::array();
  for (const KernelPoint& point : fit.points) weights.push_back(point.weight);
  Json json = {{"family", fit.family}, {"pass", pass_name(fit.pass)}, {"type", name_of(fit.type)}};
  json.update(json_of(fit.plain));
  json.update({{"mean", fit.mean},
               {"center", fit.center},
               {"slopes", fit.slopes},
               {"deviation", fit.deviation},
               {"noise", fit.noise},
               {"lengths", fit.lengths},
               {"spread", fit.spread},
               {"median_error", fit.median_error},
               {"high_error", fit.high_error},
               {"outliers", fit.outliers},
               {"weights", std::move(weights)}});
  return json;
}

Json json_of(const LinkFit& fit) {
  Json pieces = Json::array(), table = Json::array();
  for (const LinkPiece& piece : fit.pieces) {
    pieces.push_back({{"from", piece.from.value},
                      {"latency", piece.latency.value},
                      {"bandwidth", piece.bandwidth.value},
                      {"uncertainty", piece.uncertainty}});
  }
  for (const LinkPoint& point : fit.table) {
    table.push_back({{"message", point.message.value},
                     {"median", point.time.value},
                     {"low", point.low.value},
                     {"high", point.high.value},
                     {"count", point.samples}});
  }
  Json json = {{"level", fit.level}, {"operation", fit.operation}, {"algorithm", fit.algorithm}};
  if (fit.ranks != 0) json["ranks"] = fit.ranks;
  if (fit.per_unit != 1) json["per_unit"] = fit.per_unit;
  json["least"] = fit.least.value;
  json["most"] = fit.most.value;
  json["together"] = fit.together;
  json["residual"] = fit.residual;
  json["leave_one_out"] = fit.leave_one_out;
  json["tabulated"] = fit.tabulated;
  json["pieces"] = std::move(pieces);
  json["table"] = std::move(table);
  return json;
}

Json json_of(const StorageRate& rate) {
  Json json = {{"operation", name_of(rate.operation)}};
  if (rate.workers != 1) json["workers"] = rate.workers;
  if (rate.cached) json["cached"] = true;
  json["latency"] = rate.latency.value;
  json["rate"] = rate.rate.value;
  json["uncertainty"] = rate.uncertainty;
  json["least"] = rate.least.value;
  json["most"] = rate.most.value;
  json["count"] = rate.samples;
  return json;
}

Json json_of(const Contention& contention) {
  return {{"ranks", contention.ranks},       {"own", contention.own.value},
          {"slope", contention.slope},       {"residual", contention.residual},
          {"slowdown", contention.slowdown}, {"sharing", contention.sharing}};
}

Json json_of(const CopySpeed& speed) {
  return {{"bytes", speed.bytes.value}, {"pack", speed.pack.value}, {"unpack", speed.unpack.value}};
}

template <typename Value>
std::string list_of(const std::vector<Value>& values) {
  std::string text = "[";
  const char* separator = "\n    ";
  for (const Value& value : values) {
    text += separator + text_of(json_of(value));
    separator = ",\n    ";
  }
  return text + (values.empty() ? "]" : "\n  ]");
}

}  // namespace

std::string write_profile(const ProfileFile& file) {
  Json measured = Json::object();
  for (const auto& [name, value] : file.measured) measured[name] = value;
  std::string text = "{\n  \"schema\": \"oracle/profile/1\",\n  \"name\": ";
  text += text_of(file.profile.name) + ",\n  \"measured\": ";
  text += text_of(measured) + ",\n  \"cluster\": " + write_cluster(file.cluster, 2);
  text += ",\n  \"overlap_slowdown\": " + text_of(file.profile.overlap.computing);
  text += ",\n  \"exchange_slowdown\": " + text_of(file.profile.overlap.exchange);
  if (file.profile.contention.ranks > 0) {
    text += ",\n  \"contention\": " + text_of(json_of(file.profile.contention));
  }
  text += ",\n  \"staging\": " + list_of(file.profile.staging);
  text += ",\n  \"kernels\": " + list_of(file.profile.kernels);
  text += ",\n  \"fits\": " + list_of(file.profile.fits);
  text += ",\n  \"links\": " + list_of(file.profile.links);
  text += ",\n  \"storage\": " + list_of(file.profile.storage);
  return text + "\n}\n";
}

}  // namespace oracle
