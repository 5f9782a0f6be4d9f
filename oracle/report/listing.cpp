#include "oracle/report/listing.h"

#include <cmath>
#include <string>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/plan/cuts/cut.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/strategy/strategy_options.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

Document listing(std::string_view what, Table table, std::string_view plural = {}) {
  const auto rows = static_cast<std::int64_t>(table.rows.size());
  Document document{
      .schema = "oracle/list/1", .headline = number_of(rows, what, plural), .main = table.key};
  document.sections.emplace_back(std::move(table));
  return document;
}

Cell peak(const Device& device, DataType type) {
  Cell cell = rate(device.peak_of(type));
  if (cell.value == 0) cell.text = "none";
  return cell;
}

/// Amounts that are said whole.
constexpr double kWholeFrom = 1e4;

/// Who runs an algorithm when no strategy names one.
std::string_view offered_text(const Offered& offered) {
  if (offered.nccl && offered.mpi) return "NCCL, MPI";
  if (offered.nccl) return "NCCL";
  return offered.mpi ? "MPI" : "none";
}

}  // namespace

Document model_listing(std::span<const Graph> models) {
  Table table{.key = "models",
              .columns = {text_column("name", "name"), number_column("layers", "layers"),
                          number_column("parameters", "parameters"),
                          number_column("multiply_adds", "multiply-adds"), data_column("input"),
                          text_column("description", "description")}};
  for (const Graph& graph : models) {
    table.rows.push_back({{words(graph.name), count(graph.size()), count(graph.parameters()),
                           multiply_adds(graph.multiply_adds()),
                           words(graph.size() > 0 ? to_text(graph[0].output) : std::string{}),
                           words(graph.description)}});
  }
  return listing("model", std::move(table));
}

Document device_listing(std::span<const Device> devices) {
  Table table{
      .key = "devices",
      .columns = {text_column("id", "name"), left_out(text_column("name", "full name"), 1),
                  number_column("fp32", "fp32", "FLOP/s"), number_column("fp16", "fp16", "FLOP/s"),
                  number_column("memory", "memory", "B"),
                  number_column("memory_bandwidth", "bandwidth", "B/s")}};
  for (const Device& device : devices) {
    table.rows.push_back({{words(device.id), words(device.name), peak(device, DataType::fp32),
                           peak(device, DataType::fp16), memory_size(device.memory),
                           bandwidth(device.memory_bandwidth)}});
  }
  return listing("device", std::move(table));
}

Document cluster_listing(std::span<const Cluster> clusters) {
  Table table{
      .key = "clusters",
      .columns = {text_column("id", "name"), number_column("ranks", "ranks"),
                  text_column("device", "device"), text_column("description", "description")}};
  for (const Cluster& cluster : clusters) {
    table.rows.push_back({{words(cluster.id), count(cluster.ranks()), words(cluster.device.id),
                           words(cluster.description)}});
  }
  return listing("cluster", std::move(table));
}

Document framework_listing(std::span<const Framework> frameworks) {
  Table table{
      .key = "frameworks",
      .columns = {text_column("id", "name"), text_column("name", "full name"),
                  text_column("layout", "channels"), number_column("workspace", "workspace", "B"),
                  number_column("host_per_kernel", "host/kernel", "s"),
                  text_column("fuses", "fuses")}};
  for (const Framework& framework : frameworks) {
    const bool any = std::isinf(framework.workspace.value);
    table.rows.push_back(
        {{words(framework.id), words(framework.name),
          words(framework.channels_last ? "last" : "first"),
          any ? Cell{.text = "any"} : memory_size(framework.workspace),
          time(framework.host_per_kernel), words(framework.fuses ? "yes" : "no")}});
  }
  return listing("framework", std::move(table));
}

Document data_set_listing(std::span<const DataSet> data_sets) {
  Table table{.key = "datasets",
              .columns = {text_column("id", "name"), number_column("samples", "samples"),
                          number_column("tokens", "tokens"), number_column("size", "size", "B"),
                          text_column("formats", "kept as"), text_column("name", "full name")}};
  for (const DataSet& data : data_sets) {
    std::string formats;
    for (const std::string& format : data.formats) {
      formats += (formats.empty() ? "" : ", ") + format;
    }
    table.rows.push_back(
        {{words(data.id), data.samples > 0 ? count(data.samples) : Cell{},
          data.tokens > 0 ? count(data.tokens) : Cell{},
          data.size.value > 0 ? size(data.size) : Cell{}, words(formats), words(data.name)}});
  }
  return listing("data set", std::move(table));
}

Document target_listing(std::span<const Convergence> files) {
  Table table{.key = "targets",
              .columns = {text_column("id", "name"), text_column("target", "target"),
                          left_out(text_column("metric", "metric"), 3),
                          left_out(text_column("dataset", "data set"), 2),
                          left_out(number_column("points", "points"), 1),
                          number_column("first_batch", "batch"), number_column("last_batch", "to"),
                          number_column("least", "at least"), data_column("unit"),
                          number_column("critical_batch", "twice at")}};
  for (const Convergence& file : files) {
    const ConvergenceLaw law = fit_law(file.points);
    const double critical = law.critical_batch();
    const std::string least =
        law.least < kWholeFrom ? significant(law.least) : grouped(std::llround(law.least));
    table.rows.push_back(
        {{words(file.id), words(file.target), words(file.metric), words(file.dataset),
          count(static_cast<std::int64_t>(file.points.size())), count(law.first), count(law.last),
          Cell{.text = least + " " + std::string(name_of(file.unit)), .value = law.least},
          words(name_of(file.unit)),
          std::isinf(critical) ? Cell{.text = "never"} : count(std::llround(critical))}});
  }
  return listing("network with a target", std::move(table), "networks with a target");
}

Document storage_listing(std::span<const StorageSystem> systems) {
  Table table{.key = "storage",
              .columns = {text_column("id", "name"), text_column("of", "of"),
                          number_column("read_by_one", "by one", "B/s"),
                          number_column("read_by_all", "by all", "B/s"),
                          left_out(number_column("write_by_one", "written", "B/s"), 2),
                          number_column("open", "open", "s"), text_column("name", "full name")}};
  for (const StorageSystem& storage : systems) {
    table.rows.push_back(
        {{words(storage.id), words(storage.shared ? "cluster" : "host"),
          bandwidth(storage.read.front().total), bandwidth(storage.read.back().total),
          bandwidth(storage.write.front().total), time(storage.open), words(storage.name)}});
  }
  return listing("storage", std::move(table), "kinds of storage");
}

Document price_listing(std::span<const PriceList> lists) {
  Table table{.key = "prices",
              .columns = {text_column("provider", "provider"), text_column("device", "device"),
                          number_column("price", "$ per hour", "USD/h"),
                          text_column("offer", "offer"), number_column("devices", "devices"),
                          text_column("date", "date"), left_out(text_column("terms", "terms"), 1)}};
  for (const PriceList& list : lists) {
    for (const Offer& offer : list.offers) {
      const double price = offer.price_per_device();
      table.rows.push_back(
          {{words(list.id), words(offer.device),
            Cell{.text = significant(price), .value = price, .unit = "USD/h"}, words(offer.name),
            count(offer.devices), words(list.date), words(list.terms)}});
    }
  }
  return listing("price", std::move(table));
}

Document strategy_listing() {
  Table table{.key = "strategies",
              .columns = {text_column("name", "name"), text_column("limit", "limit"),
                          text_column("text", "what it does")}};
  for (const CutRow& row : all_cuts()) {
    if (row.axis_name.empty()) continue;
    Cell name = words(row.axis_name);
    if (!row.short_name.empty()) {
      name = {.text = name.text + ", " + std::string(row.short_name), .name = name.text};
    }
    table.rows.push_back({{std::move(name), words(row.limit), words(row.text)}});
  }
  Document document = listing("mesh axis", std::move(table), "mesh axes");
  document.headline += ", to be combined: data:16,filter:4";
  Table options{
      .key = "options",
      .title = "options, after the mesh axes: \"data:8,pipeline:4; micro_batches=16\"",
      .columns = {text_column("name", "name"), text_column("values", "values"),
                  text_column("usual", "unless given"), text_column("text", "what it does")}};
  for (const StrategyOption& option : all_strategy_options()) {
    options.rows.push_back(
        {{words(option.name), words(option.values), words(option.usual), words(option.text)}});
  }
  document.sections.emplace_back(std::move(options));
  return document;
}

Document collective_listing() {
  Table table{
      .key = "collectives",
      .columns = {text_column("collective", "collective"), text_column("algorithm", "algorithm"),
                  text_column("offered", "default in"), text_column("text", "time and source")}};
  for (const Algorithm& algorithm : all_algorithms()) {
    table.rows.push_back({{named(name_of(algorithm.serves)), words(algorithm.name),
                           words(offered_text(algorithm.offered)), words(algorithm.text)}});
  }
  return listing("collective algorithm", std::move(table));
}

namespace {

/// By what gradients go.
std::string_view route_text(ExchangeRoute route) {
  switch (route) {
    case ExchangeRoute::sum:
      return "all-reduce";
    case ExchangeRoute::scatter_gather:
      return "all-to-all, all-gather";
    case ExchangeRoute::gather:
      return "all-gather";
    case ExchangeRoute::sketch:
      return "two all-reduces";
    case ExchangeRoute::merge:
      return "butterfly";
    case ExchangeRoute::average:
      return "all-reduce";
    case ExchangeRoute::servers:
      return "push, pull";
  }
  return {};
}

/// "topk:1%"
std::string as_written(const GradientExchange& row) {
  std::string text(row.name);
  if (!row.parameter.empty()) text += ":" + std::string(row.parameter);
  return text;
}

}  // namespace

Document exchange_listing() {
  Table table{.key = "exchanges",
              .columns = {text_column("exchange", "exchange"), text_column("route", "goes by"),
                          text_column("text", "what travels and source")}};
  for (const GradientExchange& row : all_gradient_exchanges()) {
    table.rows.push_back({{words(as_written(row)), words(route_text(row.route)), words(row.text)}});
  }
  return listing("gradient exchange", std::move(table));
}

}  // namespace oracle::report
