#include "oracle/io/clusters/cluster_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "oracle/base/quantity_text.h"

namespace oracle {
namespace {

using Json = nlohmann::ordered_json;

/// A unit in SI base units is times/over, as base/quantity_text.h reads it.
struct Unit {
  const char* name;
  double times = 1;
  double over = 1;
};

std::string digits(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

/// The shortest text that `parse` reads back as the same number; `units` begin with the base.
template <auto parse>
std::string exact(double value, std::initializer_list<Unit> units) {
  std::string shortest = digits(value) + " " + units.begin()->name;
  for (const Unit& unit : units) {
    const std::string text = digits(value * unit.over / unit.times) + " " + unit.name;
    if (text.size() <= shortest.size() && parse(text).value == value) shortest = text;
  }
  return shortest;
}

std::string exact(Seconds time) {
  return exact<parse_seconds>(time.value, {{"s"}, {"ms", 1, 1e3}, {"us", 1, 1e6}, {"ns", 1, 1e9}});
}
std::string exact(Bytes size) {
  return exact<parse_bytes>(size.value, {{"B"},
                                         {"kB", 1e3},
                                         {"MB", 1e6},
                                         {"GB", 1e9},
                                         {"KiB", 0x1p10},
                                         {"MiB", 0x1p20},
                                         {"GiB", 0x1p30}});
}
std::string exact(Bandwidth rate) {
  return exact<parse_bandwidth>(rate.value, {{"B/s"}, {"MB/s", 1e6}, {"GB/s", 1e9}});
}
std::string exact(FlopRate rate) {
  return exact<parse_flop_rate>(rate.value, {{"FLOP/s"}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}});
}

/// One entry for figures of one source; figures without one are assumed.
Json sources_json(const std::vector<std::string>& figures, const std::vector<FigureSource>& known) {
  Json list = Json::array();
  for (const std::string& figure : figures) {
    const auto found = std::find_if(known.begin(), known.end(), [&](const FigureSource& source) {
      return source.figure == figure;
    });
    const bool said = found != known.end();
    const std::string kind(name_of(said ? found->kind : Source::assumed));
    const std::string text = said ? found->text : "no source was given";
    const auto same = std::find_if(list.begin(), list.end(), [&](const Json& entry) {
      return entry["kind"] == kind && entry["text"] == text;
    });
    if (same != list.end()) {
      (*same)["figures"].push_back(figure);
    } else {
      list.push_back({{"kind", kind}, {"text", text}, {"figures", Json::array({figure})}});
    }
  }
  return list;
}

bool has_source(const std::vector<FigureSource>& sources, std::string_view figure) {
  return std::any_of(sources.begin(), sources.end(),
                     [&](const FigureSource& source) { return source.figure == figure; });
}

Json fusions_json(const Device& device) {
  Json names = Json::array();
  for (std::size_t f = 0; f < kFusionCount; ++f) {
    if (device.fusions[f]) names.push_back(name_of(static_cast<Fusion>(f)));
  }
  return names;
}

Json device_json(const Device& device) {
  std::vector<std::string> figures;
  Json peak = Json::object(), units = Json::array();
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    const std::string type(name_of(static_cast<DataType>(t)));
    if (device.peak[t].value <= 0) continue;
    peak[type] = exact(device.peak[t]);
    figures.push_back("peak/" + type);
    if (device.matrix_unit[t]) units.push_back(type);
  }
  Json json = {{"schema", "oracle/device/1"},
               {"name", device.name},
               {"class", device.device_class == DeviceClass::cpu ? "cpu" : "gpu"},
               {"peak", std::move(peak)}};
  if (!units.empty()) json["matrix_unit"] = std::move(units);
  if (device.generation != Generation::unknown) {
    json["generation"] = name_of(device.generation);
  }
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    if (device.sustained[t] == 1) continue;
    const std::string type(name_of(static_cast<DataType>(t)));
    json["sustained"][type] = device.sustained[t];
    figures.push_back("sustained/" + type);
  }
  if (device.matrix_rate > 0) {
    json["matrix_rate"] = device.matrix_rate;
    figures.emplace_back("matrix_rate");
  }
  json["memory"] = exact(device.memory);
  json["memory_bandwidth"] = exact(device.memory_bandwidth);
  json["cache"] = exact(device.cache);
  json["multiprocessors"] = device.multiprocessors;
  json["launch_overhead"] = exact(device.launch_overhead);
  json["reserved"] = exact(device.reserved);
  figures.insert(figures.end(), {"memory", "memory_bandwidth", "cache", "multiprocessors",
                                 "launch_overhead", "reserved"});
  if (has_source(device.sources, "compute_spread")) {
    json["compute_spread"] = device.compute_spread;
    figures.emplace_back("compute_spread");
  }
  if (device.channel_block > 1) {
    json["channel_block"] = device.channel_block;
    figures.emplace_back("channel_block");
  }
  if (device.fuses()) {
    json["fusions"] = fusions_json(device);
    figures.emplace_back("fusions");
  }
  if (device.price_per_hour > 0 && has_source(device.sources, "price")) {
    json["price"] = digits(device.price_per_hour) + " USD/h";
    figures.emplace_back("price");
  }
  if (device.board_power > 0) {
    json["board_power"] = digits(device.board_power) + " W";
    figures.emplace_back("board_power");
  }
  if (device.nvlink.value > 0) {
    json["nvlink"] = digits(device.nvlink.value) + " B/s";
    figures.emplace_back("nvlink");
  }
  if (!device.peer_access) {
    json["peer_access"] = false;
    figures.emplace_back("peer_access");
  }
  if (device.host_link.value > 0) {
    json["host_link"] = digits(device.host_link.value) + " B/s";
    figures.emplace_back("host_link");
  }
  json["sources"] = sources_json(figures, device.sources);
  return json;
}

Json level_json(const Level& level, std::vector<std::string>& figures) {
  for (const char* figure : {"/units", "/bandwidth", "/latency"}) {
    figures.push_back(level.name + figure);
  }
  Json uplink = {{"name", level.uplink.name},
                 {"bandwidth", exact(level.uplink.bandwidth)},
                 {"latency", exact(level.uplink.latency)}};
  if (level.uplink.fabric != Fabric::unknown) uplink["fabric"] = name_of(level.uplink.fabric);
  const auto rails = std::llround(level.uplink.bandwidth / level.uplink.flow_limit);
  if (rails > 1) {
    uplink["rails"] = rails;
    figures.push_back(level.name + "/rails");
  }
  if (level.uplink.pair.value > 0) {
    uplink["pair"] = exact(level.uplink.pair);
    figures.push_back(level.name + "/pair");
  }
  return {{"name", level.name}, {"units", level.units}, {"uplink", std::move(uplink)}};
}

/// What was given of the hosts, or measured; what is usual goes without saying.
Json host_json(const Cluster& cluster, std::vector<std::string>& figures) {
  Json json = Json::object();
  const auto add = [&](const char* figure, Json value) {
    const std::string name = std::string("host/") + figure;
    if (!has_source(cluster.sources, name)) return;
    json[figure] = std::move(value);
    figures.push_back(name);
  };
  add("bandwidth", exact(cluster.host.link));
  add("latency", exact(cluster.host.latency));
  add("memory_bandwidth", exact(cluster.host.memory_bandwidth));
  add("memory", exact(cluster.host.memory));
  add("devices", cluster.host.devices);
  return json;
}

/// What the reader does not derive from the sources.
std::vector<std::string> own_assumptions(const Cluster& cluster) {
  std::vector<std::string> lines = cluster.assumptions;
  for (const auto* sources : {&cluster.sources, &cluster.device.sources}) {
    for (const FigureSource& source : *sources) {
      std::erase(lines, source.figure + ": " + source.text);
    }
  }
  return lines;
}

std::string dumped(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string write_device(const Device& device) { return dumped(device_json(device)); }

std::string write_cluster(const Cluster& cluster, int indent) {
  std::vector<std::string> figures;
  Json levels = Json::array();
  for (const Level& level : cluster.levels) levels.push_back(level_json(level, figures));
  Json json = {{"schema", "oracle/cluster/1"}, {"name", cluster.name}};
  if (!cluster.description.empty()) json["description"] = cluster.description;
  if (cluster.ranks_per_device > 1) json["ranks_per_device"] = cluster.ranks_per_device;
  json["levels"] = std::move(levels);
  if (Json host = host_json(cluster, figures); !host.empty()) json["host"] = std::move(host);
  if (has_source(cluster.sources, "price")) {
    json["price"] = digits(cluster.device.price_per_hour) + " USD/h";
    figures.emplace_back("price");
  }
  if (const auto lines = own_assumptions(cluster); !lines.empty()) json["assumptions"] = lines;
  json["sources"] = sources_json(figures, cluster.sources);
  json["device"] = device_json(cluster.device);
  std::string text = dumped(json);
  const std::string blanks(static_cast<std::size_t>(indent), ' ');
  for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
    text.insert(at + 1, blanks);
  }
  return text;
}

}  // namespace oracle
