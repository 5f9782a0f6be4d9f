#include "oracle/report/listing.h"

#include <cmath>
#include <string>
#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/cost/collectives/algorithm.h"
#include "oracle/plan/cuts/cut.h"
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

}  // namespace oracle::report
