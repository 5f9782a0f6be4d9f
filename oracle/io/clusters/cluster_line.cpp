#include "oracle/io/clusters/cluster_line.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"
#include "oracle/cluster/peers.h"
#include "oracle/io/clusters/cluster_reader.h"
#include "oracle/io/clusters/figure_sources.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/io/data_path.h"

namespace oracle {
namespace {

constexpr std::string_view kExample = "write it as 16x8xa100-sxm4-80gb,net=200Gb/s";
constexpr std::string_view kSaid = "given by --cluster";

[[noreturn]] void refuse_line(std::string message, std::string remedy = std::string(kExample)) {
  throw InputError("--cluster", std::move(message), std::move(remedy));
}

/// The digits before an "x" in front, taken away; empty where there are none.
std::string_view leading_count(std::string_view& text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  if (digits == 0 || digits == text.size() || text[digits] != 'x') return {};
  const std::string_view count = text.substr(0, digits);
  text.remove_prefix(digits + 1);
  return count;
}

std::int64_t count_of(std::string_view text) {
  try {
    return parse_count(text, 1, kMaxRanks);
  } catch (const QuantityError& error) {
    refuse_line(error.what(), error.remedy);
  }
}

struct Connections {
  std::optional<Bandwidth> net, link;
  std::optional<Fabric> fabric;  ///< of the network
  std::optional<bool> peer;      ///< access of boards to each other
};

bool read_switch(std::string_view value) {
  if (value != "on" && value != "off") {
    refuse_line("peer: " + in_quotes(value) + " is neither on nor off", "write peer=off");
  }
  return value == "on";
}

Fabric read_fabric(std::string_view name) {
  const std::optional<Fabric> fabric = fabric_named(name);
  if (!fabric) {
    refuse_line("fabric: " + in_quotes(name) + " is no kind of link",
                suggestion(name, fabric_names()));
  }
  return *fabric;
}

/// What follows the device: ",net=200Gb/s,link=300GB/s,fabric=infiniband,peer=off".
Bandwidth read_speed(std::string_view key, std::string_view value) {
  try {
    return positive<parse_bandwidth>(value);
  } catch (const QuantityError& error) {
    refuse_line(std::string(key) + ": " + error.what(), error.remedy);
  }
}

Connections read_connections(std::string_view rest) {
  Connections found;
  std::vector<std::string_view> seen;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(part.size());
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view key = part.substr(0, equals);
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    const std::vector<std::string> known = {"net", "link", "fabric", "peer"};
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      refuse_line(in_quotes(key) + " is not known of a cluster in one line",
                  suggestion(key, known));
    }
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
      refuse_line(in_quotes(key) + " is given twice", "give it once");
    }
    seen.push_back(key);
    if (key == "fabric") {
      found.fabric = read_fabric(value);
    } else if (key == "peer") {
      found.peer = read_switch(value);
    } else {
      (key == "net" ? found.net : found.link) = read_speed(key, value);
    }
  }
  return found;
}

/// A device's name without its memory: "v100-sxm2" of "v100-sxm2-16gb".
std::string_view board_of(std::string_view device) { return device.substr(0, device.rfind('-')); }

/// How like a node of these devices is that of a shipped cluster? 0: it has others.
int likeness(const Cluster& cluster, const Device& device, std::int64_t devices) {
  const std::string& other = cluster.device.id;
  if (board_of(other) != board_of(device.id)) return 0;
  return 1 + (other == device.id ? 2 : 0) + (cluster.levels.front().units == devices ? 1 : 0);
}

/// The innermost link of the shipped cluster with the likest node, else what is usual.
UsualPeers usual_link(const Device& device, std::int64_t devices) {
  UsualPeers usual = usual_peers(device);
  int likest = 0;
  for (const std::string& name : names_in("data/clusters")) {
    Cluster cluster = load_cluster(name);
    const int like = likeness(cluster, device, devices);
    if (like <= likest) continue;
    likest = like;
    usual = {std::move(cluster.levels.front().uplink), "as in " + name};
  }
  return usual;
}

void add_link(const std::string& level, std::int64_t units, Link link, bool said,
              const std::string& otherwise, Cluster& cluster) {
  const auto source = [&](const char* figure, bool given, const std::string& why) {
    cluster.sources.push_back({level + figure, given ? Source::datasheet : Source::assumed,
                               given ? std::string(kSaid) : why});
    if (!given) cluster.assumptions.push_back(level + figure + ": " + why);
  };
  source("/units", true, {});
  source("/bandwidth", said, otherwise);
  source("/latency", false, otherwise);
  cluster.levels.push_back({level, units, std::move(link)});
}

}  // namespace

bool is_cluster_line(std::string_view name) {
  std::error_code ignored;
  std::string_view rest = name;
  return !leading_count(rest).empty() && !std::filesystem::exists(name, ignored);
}

Cluster parse_cluster_line(std::string_view line) {
  std::string_view rest = line;
  const std::string_view first = leading_count(rest), second = leading_count(rest);
  const std::int64_t nodes = second.empty() ? 1 : count_of(first);
  const std::int64_t devices = count_of(second.empty() ? first : second);
  if (nodes > kMaxRanks / devices) {
    refuse_line("the cluster has more than " + std::to_string(kMaxRanks) + " ranks", "give fewer");
  }
  const std::string_view name = rest.substr(0, rest.find(','));
  if (name.empty()) refuse_line(in_quotes(line) + " names no device");
  const Connections given = read_connections(rest.substr(name.size()));
  if (nodes == 1 && (given.net || given.fabric)) {
    refuse_line("one node has no network",
                std::string("leave \"") + (given.net ? "net" : "fabric") + "\" out");
  }
  if (nodes > 1 && !given.net) {
    refuse_line("does not say how fast the network of its " + std::to_string(nodes) + " nodes is",
                "add ,net=200Gb/s");
  }
  Cluster cluster;
  cluster.id = cluster.name = std::string(line);
  cluster.device = load_device(name);
  for (const FigureSource& source : cluster.device.sources) {
    if (source.kind != Source::assumed) continue;
    cluster.assumptions.push_back(source.figure + ": " + source.text);
  }
  cluster.host = usual_host(cluster.device, devices);
  if (given.link && given.peer) {
    refuse_line("\"peer\" says which link there is, and \"link\" how fast it is",
                "leave one of them out");
  }
  auto [link, why] =
      given.peer ? usual_peers(cluster.device, given.peer) : usual_link(cluster.device, devices);
  if (given.link) {
    link.name = "link";
    link.fabric = Fabric::unknown;
    link.bandwidth = link.flow_limit = *given.link;
  }
  add_link("node", devices, std::move(link), given.link.has_value(), why, cluster);
  if (nodes > 1) {
    add_link("network", nodes,
             {"network", *given.net, *given.net, kAssumedLatencyBetween,
              given.fabric.value_or(Fabric::infiniband)},
             true, std::string(kUsualLatencyBetween), cluster);
    if (!given.fabric) {
      cluster.assumptions.emplace_back(
          "network: InfiniBand or RoCE; ,fabric= says that it is another kind");
    }
  }
  return cluster;
}

}  // namespace oracle
