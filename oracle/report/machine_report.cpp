#include "oracle/report/machine_report.h"

#include <algorithm>
#include <string>

#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::string_view kUnknown = "unknown";

template <typename Value, typename Make>
Cell known(const std::optional<Value>& value, const Make& make) {
  return value ? make(*value) : words(kUnknown);
}

Cell named_or_unknown(const std::string& text) { return words(text.empty() ? kUnknown : text); }

Fields processor_fields(const Machine& machine) {
  const Processor& processor = machine.processor;
  return {.key = "processor",
          .title = "processor",
          .rows = {{"name", "name", named_or_unknown(processor.name)},
                   {"sockets", "sockets", known(processor.sockets, count)},
                   {"cores", "cores", known(processor.cores, count)},
                   {"threads", "threads", known(processor.threads, count)},
                   {"usable", "threads this process may use", count(processor.usable)},
                   {"memory", "memory", known(machine.memory, memory_size)}}};
}

Table numa_table(const Machine& machine) {
  Table table{.key = "numa",
              .title = "NUMA nodes",
              .columns = {number_column("id", "node"), number_column("threads", "threads"),
                          number_column("memory", "memory", "B")}};
  for (const NumaNode& node : machine.numa) {
    table.rows.push_back({{count(node.id), count(node.threads), known(node.memory, memory_size)}});
  }
  return table;
}

Table interface_table(const Machine& machine) {
  Table table{.key = "interfaces",
              .title = "network interfaces",
              .columns = {text_column("name", "name"), text_column("kind", "kind"),
                          text_column("state", "state"), number_column("speed", "speed", "B/s"),
                          number_column("numa", "NUMA node")}};
  for (const NetworkInterface& one : machine.interfaces) {
    table.rows.push_back({{words(one.name), words(one.kind), named_or_unknown(one.state),
                           known(one.speed, [](Bandwidth speed) { return bandwidth(speed); }),
                           known(one.numa, count)}});
  }
  return table;
}

std::string links_text(const Gpu& gpu) {
  std::string text;
  for (const GpuLink& link : gpu.links) {
    text += (text.empty() ? "" : ", ") + std::to_string(link.count) + " to " + link.target;
  }
  return text.empty() ? std::string(kUnknown) : text;
}

std::int64_t link_count(const Gpu& gpu) {
  std::int64_t count = 0;
  for (const GpuLink& link : gpu.links) count += link.count;
  return count;
}

Table gpu_table(const Machine& machine) {
  Table table{
      .key = "gpus",
      .title = "GPUs",
      .columns = {text_column("bus", "PCI address"), text_column("name", "name"),
                  text_column("capability", "capability"), number_column("numa", "NUMA node"),
                  number_column("link_count", "links"), data_column("links")}};
  for (const Gpu& gpu : machine.gpus) {
    table.rows.push_back(
        {{named_or_unknown(gpu.bus), named_or_unknown(gpu.name), named_or_unknown(gpu.capability),
          known(gpu.numa, count), gpu.links.empty() ? words(kUnknown) : count(link_count(gpu)),
          words(links_text(gpu))}});
  }
  return table;
}

std::string tasks_text(const std::vector<std::int64_t>& tasks) {
  if (tasks.empty()) return std::string(kUnknown);
  const auto [least, most] = std::minmax_element(tasks.begin(), tasks.end());
  return *least == *most ? grouped(*least) : grouped(*least) + " to " + grouped(*most);
}

Fields allocation_fields(const Allocation& allocation) {
  std::string hosts;
  for (const std::string& host : allocation.hosts) hosts += (hosts.empty() ? "" : ",") + host;
  return {.key = "allocation",
          .title = "allocation of Slurm",
          .rows = {{"job", "job", words(allocation.job)},
                   {"nodes", "nodes", count(static_cast<std::int64_t>(allocation.hosts.size()))},
                   {"hosts", "hosts", words(hosts)},
                   {"tasks_per_node", "tasks on each", words(tasks_text(allocation.tasks))},
                   {"gpus_per_node", "GPUs on each", known(allocation.gpus_per_node, count)}}};
}

Table library_table(std::span<const BuiltWith> libraries) {
  Table table{.key = "libraries",
              .title = "this program was built with",
              .columns = {text_column("library", {}), text_column("version", {})}};
  for (const auto& [name, version] : libraries) {
    table.rows.push_back({{words(name), words(version.empty() ? "absent" : version)}});
  }
  return table;
}

std::string headline(const Machine& machine) {
  const Processor& processor = machine.processor;
  std::string text = (machine.host.empty() ? "this machine" : machine.host) + "   ";
  text += processor.cores ? number_of(*processor.cores, "core")
                          : number_of(processor.usable, "usable thread");
  if (machine.memory) text += "   " + memory_size(*machine.memory).text;
  text += "   " + number_of(static_cast<std::int64_t>(machine.gpus.size()), "GPU");
  return text;
}

}  // namespace

Document machine_report(const Machine& machine, std::span<const BuiltWith> libraries) {
  Document document{.schema = "oracle/machine/1",
                    .headline = headline(machine),
                    .subject = machine.processor.name,
                    .main = "interfaces"};
  auto& sections = document.sections;
  sections.emplace_back(
      Fields{.rows = {{"host", {}, named_or_unknown(machine.host)}}, .shown = false});
  sections.emplace_back(processor_fields(machine));
  if (!machine.numa.empty()) sections.emplace_back(numa_table(machine));
  if (!machine.interfaces.empty()) sections.emplace_back(interface_table(machine));
  if (!machine.gpus.empty()) sections.emplace_back(gpu_table(machine));
  if (machine.allocation) sections.emplace_back(allocation_fields(*machine.allocation));
  sections.emplace_back(library_table(libraries));
  sections.emplace_back(Notes{"unknown", "not known", machine.unknown});
  return document;
}

}  // namespace oracle::report
