#include "oracle/cli/machine_options.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"
#include "oracle/base/suggest.h"
#include "oracle/cluster/placement.h"
#include "oracle/io/budget/price_list_reader.h"
#include "oracle/io/clusters/positive.h"
#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kMostMultiprocessors = 100'000;

/// A figure of the device, as its file names it.
struct DeviceFigure {
  std::string_view name;
  void (*set)(Device& device, std::string_view value);
};

template <DataType type>
void set_peak(Device& device, std::string_view value) {
  device.peak[static_cast<std::size_t>(type)] = positive<parse_flop_rate>(value);
}

void set_board_power(Device& device, std::string_view value) {
  device.board_power = parse_power(value);
  if (device.board_power <= 0) throw QuantityError("is zero", "write a power such as \"300 W\"");
}

constexpr std::array<DeviceFigure, 15> kDeviceFigures = {{
    {"memory", [](Device& d, std::string_view v) { d.memory = positive<parse_bytes>(v); }},
    {"reserved", [](Device& d, std::string_view v) { d.reserved = parse_bytes(v); }},
    {"memory_bandwidth",
     [](Device& d, std::string_view v) { d.memory_bandwidth = positive<parse_bandwidth>(v); }},
    {"cache", [](Device& d, std::string_view v) { d.cache = positive<parse_bytes>(v); }},
    {"launch_overhead",
     [](Device& d, std::string_view v) { d.launch_overhead = parse_seconds(v); }},
    {"multiprocessors",
     [](Device& d, std::string_view v) {
       d.multiprocessors = static_cast<int>(parse_count(v, 1, kMostMultiprocessors));
     }},
    {"board_power", set_board_power},
    {"compute_spread", [](Device& d, std::string_view v) { d.compute_spread = parse_share(v); }},
    {"peak/fp32", set_peak<DataType::fp32>},
    {"peak/tf32", set_peak<DataType::tf32>},
    {"peak/fp16", set_peak<DataType::fp16>},
    {"peak/bf16", set_peak<DataType::bf16>},
    {"peak/fp8", set_peak<DataType::fp8>},
    {"peak/mxfp8", set_peak<DataType::mxfp8>},
    {"peak/fp4", set_peak<DataType::fp4>},
}};

/// A figure of a level, as sources name it behind "LEVEL/".
struct LevelFigure {
  std::string_view name;
  void (*set)(Level& level, std::string_view value);
};

void set_bandwidth(Level& level, std::string_view value) {
  Link& link = level.uplink;
  const double rails = link.bandwidth / link.flow_limit;
  link.bandwidth = positive<parse_bandwidth>(value);
  link.flow_limit = link.bandwidth / rails;
}

constexpr std::array<LevelFigure, 3> kLevelFigures = {{
    {"bandwidth", set_bandwidth},
    {"latency", [](Level& l, std::string_view v) { l.uplink.latency = parse_seconds(v); }},
    {"units", [](Level& l, std::string_view v) { l.units = parse_count(v, 1, kMaxRanks); }},
}};

/// A figure of the hosts.
struct HostFigure {
  std::string_view name;
  void (*set)(Host& host, std::string_view value);
};

constexpr std::array<HostFigure, 5> kHostFigures = {{
    {"bandwidth", [](Host& h, std::string_view v) { h.link = positive<parse_bandwidth>(v); }},
    {"latency", [](Host& h, std::string_view v) { h.latency = parse_seconds(v); }},
    {"memory_bandwidth",
     [](Host& h, std::string_view v) { h.memory_bandwidth = positive<parse_bandwidth>(v); }},
    {"memory", [](Host& h, std::string_view v) { h.memory = positive<parse_bytes>(v); }},
    {"devices", [](Host& h, std::string_view v) { h.devices = parse_count(v, 1, kMaxRanks); }},
}};

constexpr std::string_view kDevice = "device/";
constexpr std::string_view kHost = "host/";

std::vector<std::string> names_of(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const DeviceFigure& figure : kDeviceFigures) {
    names.push_back(std::string(kDevice) + std::string(figure.name));
  }
  for (const HostFigure& figure : kHostFigures) {
    names.push_back(std::string(kHost) + std::string(figure.name));
  }
  for (const Level& level : cluster.levels) {
    for (const LevelFigure& figure : kLevelFigures) {
      names.push_back(level.name + "/" + std::string(figure.name));
    }
  }
  return names;
}

/// The line of `assumptions` that a figure given replaces.
void note(const std::string& figure, const std::string& text, Cluster& cluster) {
  const std::string lead = figure + ": ";
  std::erase_if(cluster.assumptions,
                [&](const std::string& line) { return line.starts_with(lead); });
  cluster.assumptions.push_back(lead + text);
}

void set_figure(const std::string& name, const std::string& value, Cluster& cluster) {
  for (const DeviceFigure& figure : kDeviceFigures) {
    if (name != std::string(kDevice) + std::string(figure.name)) continue;
    figure.set(cluster.device, value);
    return note(std::string(figure.name), value + ", as --set gives it", cluster);
  }
  for (Level& level : cluster.levels) {
    for (const LevelFigure& figure : kLevelFigures) {
      if (name != level.name + "/" + std::string(figure.name)) continue;
      figure.set(level, value);
      return note(name, value + ", as --set gives it", cluster);
    }
  }
  for (const HostFigure& figure : kHostFigures) {
    if (name != std::string(kHost) + std::string(figure.name)) continue;
    figure.set(cluster.host, value);
    return note(name, value + ", as --set gives it", cluster);
  }
  std::vector<std::string> known = names_of(cluster);
  for (std::string& each : known) std::replace(each.begin(), each.end(), '/', '.');
  std::string shown = name;
  std::replace(shown.begin(), shown.end(), '/', '.');
  throw InputError("--set", in_quotes(shown) + " is not a figure of this machine",
                   suggestion(shown, known));
}

void set_figures(std::string_view list, Cluster& cluster, ProblemList& problems) {
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(','));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) {
      problems.add("--set", in_quotes(part) + " gives no value", "write --set device.memory=40GiB");
      continue;
    }
    std::string name(part.substr(0, equals));
    const std::string place = "--set " + name;
    std::replace(name.begin(), name.end(), '.', '/');
    problems.attempt(place, [&] {
      set_figure(name, std::string(part.substr(equals + 1)), cluster);
      return true;
    });
  }
}

/// That of the provider's list. Throws InputError where it offers no such device.
void take_offer(const std::string& provider, Cluster& cluster) {
  const PriceList list = load_price_list(provider);
  const Offer* offer = list.cheapest(cluster.device.id);
  if (offer == nullptr) {
    std::string others;
    for (const std::string& name : providers_of(cluster.device.id)) others += " " + name;
    throw InputError("--price",
                     in_quotes(provider) + " lists no price of " + in_quotes(cluster.device.id),
                     others.empty() ? "write one such as 2.5USD/h"
                                    : "write one such as 2.5USD/h, or a provider:" + others);
  }
  cluster.device.price_per_hour = offer->price_per_device();
  note("price",
       report::significant(offer->price_per_device()) + " USD/h" + ", " + offer->name + " of " +
           list.name + ", " + list.terms + ", " + list.date,
       cluster);
}

void set_price(const std::string& text, Cluster& cluster, ProblemList& problems) {
  const bool number = !text.empty() && text.front() >= '0' && text.front() <= '9';
  problems.attempt("--price", [&] {
    if (!number) {
      take_offer(text, cluster);
      return true;
    }
    const double price = parse_price(text);
    if (price <= 0) throw QuantityError("is zero", "write one such as 2.5USD/h");
    cluster.device.price_per_hour = price;
    note("price", text + ", as --price says", cluster);
    return true;
  });
}

/// How many ranks the levels hold, unless that is more than there can be.
bool holds_too_many(const Cluster& cluster) {
  std::int64_t ranks = cluster.ranks_per_device;
  for (const Level& level : cluster.levels) {
    if (level.units > kMaxRanks / ranks) return true;
    ranks *= level.units;
  }
  return false;
}

}  // namespace

constinit const std::array<Option, 3> kMachineOptions = {{
    {"set", "FIGURE=VALUE,…",
     "a figure of the machine in place of its own: device.memory=40GiB, node.bandwidth=300GB/s"},
    {"memory-limit", "SIZE", "the most memory of a device that is used: 40GiB"},
    {"price", "PRICE",
     "of a device and hour: 2.5USD/h, or that of a provider: aws (see: oracle list prices)"},
}};

void change_machine(const Arguments& arguments, Cluster& cluster, ProblemList& problems) {
  if (const std::string* list = arguments.find("set")) set_figures(*list, cluster, problems);
  if (const std::string* text = arguments.find("memory-limit")) {
    const auto limit =
        problems.attempt("--memory-limit", [&] { return positive<parse_bytes>(*text); });
    if (limit && *limit < cluster.device.memory) {
      cluster.device.memory = *limit;
      note("memory", "at most " + *text + ", as --memory-limit says", cluster);
    }
  }
  if (const std::string* text = arguments.find("price")) set_price(*text, cluster, problems);
  if (cluster.device.reserved >= cluster.device.memory) {
    problems.add(arguments.has("memory-limit") ? "--memory-limit" : "--set",
                 "leaves no memory besides the " + to_binary_text(cluster.device.reserved) +
                     " that driver and libraries hold",
                 "give more, or set device.reserved");
  }
  if (holds_too_many(cluster)) {
    problems.add("--set", "the cluster has more than " + std::to_string(kMaxRanks) + " ranks",
                 "lower the units of a level");
  }
}

}  // namespace oracle::cli
