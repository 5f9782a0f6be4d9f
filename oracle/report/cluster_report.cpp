#include "oracle/report/cluster_report.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::string unit_word(const Device& device) {
  return device.device_class == DeviceClass::gpu ? "multiprocessors" : "cores";
}

Table peak_table(const Device& device) {
  Table table{.key = "peaks",
              .title = "peaks (dense)",
              .columns = {text_column("type", {}), number_column("rate", {}, "FLOP/s"),
                          text_column("unit", {})}};
  for (std::size_t t = 0; t < kDataTypeCount; ++t) {
    const auto type = static_cast<DataType>(t);
    const FlopRate peak = device.peak_of(type);
    table.rows.push_back({{named(name_of(type)), rate(peak),
                           words(device.matrix_unit_for(type) ? "matrix unit" : "vector unit")},
                          peak.value > 0});
  }
  return table;
}

/// As device files name them: "convolution_activation, dense_activation".
std::string fused_words(const Device& device) {
  std::string text;
  for (std::size_t f = 0; f < kFusionCount; ++f) {
    if (!device.fusions[f]) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(static_cast<Fusion>(f)));
  }
  return text;
}

Fields device_fields(const Device& device) {
  Fields fields{
      .key = "device",
      .title = "device",
      .rows = {{"id", {}, words(device.id)},
               {"name", "name", words(device.name)},
               {"memory", "memory", memory_size(device.memory)},
               {"reserved", "reserved", memory_size(device.reserved)},
               {"memory_bandwidth", "memory bandwidth", bandwidth(device.memory_bandwidth)},
               {"cache", "last-level cache", memory_size(device.cache)},
               {"multiprocessors", unit_word(device), count(device.multiprocessors)},
               {"launch_overhead", "kernel launch", time(device.launch_overhead)}}};
  if (device.matrix_rate > 0) {
    fields.rows.push_back({"matrix_rate", "MACs a clock", count(device.matrix_rate)});
  }
  if (device.channel_block > 1) {
    fields.rows.push_back({"channel_block", "channels in blocks of", count(device.channel_block)});
  }
  if (device.fuses()) {
    fields.rows.push_back({"fusions", "fuses", words(fused_words(device))});
  }
  if (device.price_per_hour > 0) {
    fields.rows.push_back({"price_per_hour", "price",
                           Cell{.text = "$" + significant(device.price_per_hour) + " per hour",
                                .value = device.price_per_hour,
                                .unit = "USD/h"}});
  }
  if (device.board_power > 0) {
    fields.rows.push_back({"board_power", "board power",
                           Cell{.text = significant(device.board_power) + " W",
                                .value = device.board_power,
                                .unit = "W"}});
  }
  if (device.nvlink.value > 0) {
    fields.rows.push_back({"nvlink", "NVLink to its node", bandwidth(device.nvlink)});
  }
  if (!device.peer_access) {
    fields.rows.push_back({"peer_access", "access to other boards", words("none")});
  }
  if (device.host_link.value > 0) {
    fields.rows.push_back({"host_link", "link to the host", bandwidth(device.host_link)});
  }
  return fields;
}

Table level_table(const Cluster& cluster) {
  Table table{.key = "levels",
              .title = "levels, inside out",
              .columns = {text_column("level", "level"), text_column("joins", "joins"),
                          data_column("units"), number_column("ranks", "ranks"),
                          text_column("link", "uplink of each"),
                          number_column("bandwidth", "bandwidth", "B/s"),
                          number_column("flow_limit", "one flow", "B/s"),
                          number_column("latency", "latency", "s")}};
  std::string below = "device";
  for (std::size_t l = 0; l < cluster.levels.size(); ++l) {
    const Level& level = cluster.levels[l];
    table.rows.push_back(
        {{words(level.name), words(grouped(level.units) + " × " + below), count(level.units),
          count(cluster.capacity(l)), words(level.uplink.name), bandwidth(level.uplink.bandwidth),
          bandwidth(level.uplink.flow_limit), time(level.uplink.latency)}});
    below = level.name;
  }
  return table;
}

/// The figures that rest on the same document share a row.
Table source_table(std::string key, std::string title, const std::vector<FigureSource>& sources) {
  Table table{
      .key = std::move(key),
      .title = std::move(title),
      .columns = {text_column("kind", {}), text_column("figures", {}), text_column("text", {})}};
  for (const FigureSource& source : sources) {
    const Cell kind = named(name_of(source.kind));
    const auto same = std::find_if(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return row.cells[0].text == kind.text && row.cells[2].text == source.text;
    });
    if (same == table.rows.end()) {
      table.rows.push_back({{kind, words(source.figure), words(source.text)}});
    } else {
      same->cells[1].text += ", " + source.figure;
    }
  }
  return table;
}

/// What the description guesses beyond the figures whose sources say so.
Notes assumption_lines(const Cluster& cluster) {
  Notes notes{"assumptions", "assumed", {}};
  const auto is_source = [](const std::vector<FigureSource>& sources, const std::string& line) {
    return std::any_of(sources.begin(), sources.end(), [&](const FigureSource& source) {
      return line == source.figure + ": " + source.text;
    });
  };
  for (const std::string& line : cluster.assumptions) {
    if (is_source(cluster.sources, line) || is_source(cluster.device.sources, line)) continue;
    notes.lines.push_back(line);
  }
  return notes;
}

std::string peak_phrase(const Device& device) {
  return to_text(device.peak_of(DataType::fp32)) + " fp32   " + to_binary_text(device.memory) +
         "   " + to_text(device.memory_bandwidth);
}

}  // namespace

Document device_report(const Device& device) {
  Document document{.schema = "oracle/device-report/1",
                    .headline = device.name + "   " + peak_phrase(device),
                    .main = "peaks"};
  document.sections.emplace_back(device_fields(device));
  document.sections.emplace_back(peak_table(device));
  document.sections.emplace_back(source_table("sources", "sources", device.sources));
  return document;
}

Document cluster_report(const Cluster& cluster) {
  Document document{.schema = "oracle/cluster-report/1",
                    .headline = cluster.name + "   " + number_of(cluster.ranks(), "rank") + " of " +
                                cluster.device.name,
                    .subject = cluster.description,
                    .main = "levels"};
  auto& sections = document.sections;
  sections.emplace_back(Fields{.rows = {{"cluster", {}, words(cluster.id)},
                                        {"ranks", {}, count(cluster.ranks())},
                                        {"ranks_per_device", {}, count(cluster.ranks_per_device)}},
                               .shown = false});
  sections.emplace_back(level_table(cluster));
  sections.emplace_back(device_fields(cluster.device));
  sections.emplace_back(peak_table(cluster.device));
  sections.emplace_back(source_table("sources", "sources of the cluster", cluster.sources));
  sections.emplace_back(
      source_table("device_sources", "sources of the device", cluster.device.sources));
  sections.emplace_back(assumption_lines(cluster));
  return document;
}

}  // namespace oracle::report
