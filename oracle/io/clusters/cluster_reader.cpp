#include "oracle/io/clusters/cluster_reader.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/cluster/placement.h"
#include "oracle/io/clusters/cluster_line.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kMostRails = 100'000;
constexpr std::int64_t kMostRanksPerDevice = 100'000;

/// Figures that the file gives, and the sources of those that it leaves to a default.
struct Figures {
  std::vector<std::string> given;
  std::vector<FigureSource> assumed;
};

Fabric read_fabric(json::ObjectReader& uplink) {
  const std::string name = uplink.string("fabric");
  const std::optional<Fabric> fabric = fabric_named(name);
  if (!fabric) {
    uplink.problem("fabric", in_quotes(name) + " is no kind of link",
                   suggestion(name, fabric_names()));
  }
  return fabric.value_or(Fabric::unknown);
}

Link read_uplink(json::ObjectReader uplink, const std::string& level, bool inside,
                 Figures& figures) {
  Link link;
  link.name = uplink.string("name");
  link.bandwidth = uplink.quantity("bandwidth", positive<parse_bandwidth>);
  link.latency = uplink.quantity("latency", parse_seconds,
                                 inside ? kAssumedLatencyInside : kAssumedLatencyBetween);
  const std::int64_t rails = uplink.integer("rails", 1, kMostRails, 1);
  link.flow_limit = link.bandwidth / static_cast<double>(rails);
  link.pair = uplink.quantity("pair", positive<parse_bandwidth>, Bandwidth{});
  if (uplink.has("fabric")) link.fabric = read_fabric(uplink);
  for (const char* figure : {"bandwidth", "latency", "rails", "pair"}) {
    if (uplink.has(figure)) figures.given.push_back(level + "/" + figure);
  }
  if (!uplink.has("latency")) {
    figures.assumed.push_back({level + "/latency", Source::assumed,
                               std::string(inside ? kUsualLatencyInside : kUsualLatencyBetween)});
  }
  uplink.finish();
  return link;
}

Level read_level(json::ObjectReader object, const std::vector<Level>& below, Figures& figures,
                 json::Problems& problems) {
  Level level;
  level.name = object.string("name");
  if (object.has("name") && level.name.empty())
    object.problem("name", "is empty", "name the level");
  const bool taken = std::any_of(below.begin(), below.end(),
                                 [&level](const Level& other) { return other.name == level.name; });
  if (taken) object.problem("name", in_quotes(level.name) + " names two levels", "rename one");
  level.units = object.integer("units", 1, kMaxRanks);
  figures.given.push_back(level.name + "/units");
  if (const json::Node* uplink = object.object("uplink", true)) {
    level.uplink = read_uplink(json::ObjectReader(*uplink, object.pointer_to("uplink"), problems),
                               level.name, below.empty(), figures);
  }
  object.finish();
  return level;
}

void read_levels(json::ObjectReader& object, Cluster& cluster, Figures& figures,
                 json::Problems& problems) {
  const json::Node* list = object.array("levels", true);
  if (list == nullptr) return;
  if (list->items.empty() || list->items.size() > kMaxLevels) {
    object.problem("levels", "has " + std::to_string(list->items.size()) + " levels",
                   "describe 1 to " + std::to_string(kMaxLevels) + ", inside out");
    return;
  }
  std::int64_t ranks = cluster.ranks_per_device;
  for (std::size_t l = 0; l < list->items.size(); ++l) {
    const std::string pointer = object.pointer_to("levels") + "/" + std::to_string(l);
    cluster.levels.push_back(read_level(json::ObjectReader(list->items[l], pointer, problems),
                                        cluster.levels, figures, problems));
    const std::int64_t units = cluster.levels.back().units;
    if (units > kMaxRanks / ranks) {
      problems.add(list->items[l].line, pointer + "/units",
                   "the cluster has more than " + std::to_string(kMaxRanks) + " ranks",
                   "lower the units of a level");
      return;
    }
    ranks *= units;
  }
}

/// What the file says of the hosts, once their devices are known: the rest is what is usual.
struct HostFigures {
  std::optional<Bandwidth> link, memory_bandwidth;
  std::optional<Seconds> latency;
  std::optional<Bytes> memory;
  std::optional<std::int64_t> devices;

  Host beside(const Cluster& cluster) const {
    Host host = usual_host(cluster.device, devices.value_or(cluster.levels[0].units));
    host.link = link.value_or(host.link);
    host.latency = latency.value_or(host.latency);
    host.memory_bandwidth = memory_bandwidth.value_or(host.memory_bandwidth);
    host.memory = memory.value_or(host.memory);
    return host;
  }
};

HostFigures read_host(json::ObjectReader& object, const Cluster& cluster, Figures& figures,
                      json::Problems& problems) {
  HostFigures host;
  const json::Node* node = object.object("host", false);
  if (node == nullptr) return host;
  if (std::any_of(cluster.levels.begin(), cluster.levels.end(),
                  [](const Level& level) { return level.name == "host"; })) {
    object.problem("host", "has the name of a level", "rename the level");
  }
  json::ObjectReader parts(*node, object.pointer_to("host"), problems);
  const auto given = [&](const char* figure) {
    if (!parts.has(figure)) return false;
    figures.given.push_back(std::string("host/") + figure);
    return true;
  };
  if (given("bandwidth")) host.link = parts.quantity("bandwidth", positive<parse_bandwidth>);
  if (given("latency")) host.latency = parts.quantity("latency", parse_seconds);
  if (given("memory_bandwidth")) {
    host.memory_bandwidth = parts.quantity("memory_bandwidth", positive<parse_bandwidth>);
  }
  if (given("memory")) host.memory = parts.quantity("memory", positive<parse_bytes>);
  if (given("devices")) host.devices = parts.integer("devices", 1, kMaxRanks);
  parts.finish();
  return host;
}

/// Where the device's file lies; a path counts from the cluster's own file.
std::optional<fs::path> device_file(json::ObjectReader& object, const json::Document& document) {
  const std::string name = object.string("device");
  if (name.empty()) {
    if (object.has("device")) object.problem("device", "names no device", "write its name");
    return std::nullopt;
  }
  try {
    fs::path file = resolve("device", "data/devices", name);
    if (file == fs::path(name)) file = fs::path(document.name).parent_path() / file;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored)) return file;
    object.problem("device", "there is no file " + in_quotes(file.string()),
                   "write a device's name or the path of its file");
  } catch (const InputError& error) {
    const Problem& problem = error.problems().front();
    object.problem("device", "device " + problem.message, problem.remedy);
  }
  return std::nullopt;
}

/// The assumed figures, after what the file says by itself.
void list_assumptions(const std::vector<FigureSource>& sources,
                      std::vector<std::string>& assumptions) {
  for (const FigureSource& source : sources) {
    if (source.kind == Source::assumed) assumptions.push_back(source.figure + ": " + source.text);
  }
}

}  // namespace

Cluster read_cluster(const json::Document& document) {
  json::Problems problems(document.name);
  json::ObjectReader object(document.root, "", problems);
  Figures figures;
  Cluster cluster;
  cluster.id = fs::path(document.name).stem().string();
  object.schema("oracle/cluster/1", "a cluster file");
  cluster.name = object.string("name");
  cluster.description = object.string("description", "");
  cluster.ranks_per_device = object.integer("ranks_per_device", 1, kMostRanksPerDevice, 1);
  read_levels(object, cluster, figures, problems);
  const HostFigures host = read_host(object, cluster, figures, problems);
  std::optional<double> price;
  if (object.has("price")) {
    price = object.quantity("price", parse_price);
    figures.given.emplace_back("price");
  }
  cluster.assumptions = object.strings("assumptions");
  cluster.sources = read_sources(object, figures.given);
  cluster.sources.insert(cluster.sources.end(), figures.assumed.begin(), figures.assumed.end());
  list_assumptions(cluster.sources, cluster.assumptions);
  // The device is named, or described on the spot.
  const json::Node* inside = document.root.find("device");
  const bool named = inside == nullptr || inside->type != json::Type::object;
  const std::optional<fs::path> device = named ? device_file(object, document) : std::nullopt;
  object.has("device");
  object.finish();
  problems.raise();
  cluster.device =
      read_device(named ? json::read(*device) : json::Document{document.name, *inside});
  if (price) cluster.device.price_per_hour = *price;
  cluster.host = host.beside(cluster);
  list_assumptions(cluster.device.sources, cluster.assumptions);
  return cluster;
}

Cluster load_cluster(std::string_view name) {
  if (name == "here") return detect_here();
  if (is_cluster_line(name)) return parse_cluster_line(name);
  json::Document document = json::read(resolve("cluster", "data/clusters", name));
  // A profile holds the description of the machine that was measured.
  const json::Node* schema = document.root.find("schema");
  if (schema == nullptr || schema->string != "oracle/profile/1") return read_cluster(document);
  const json::Node* inside = document.root.find("cluster");
  if (inside == nullptr) {
    throw InputError(document.name, "the profile has no \"cluster\"", "calibrate again");
  }
  return read_cluster({document.name, *inside});
}

}  // namespace oracle
