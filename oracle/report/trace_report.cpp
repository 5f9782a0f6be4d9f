#include "oracle/report/trace_report.h"

#include "oracle/base/quantity_text.h"
#include "oracle/report/accuracy_report.h"
#include "oracle/report/item_tables.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr std::size_t kMostUnknown = 5;
constexpr std::size_t kNameWidth = 60;

Cell seconds_cell(const std::optional<double>& value) {
  return value ? time(Seconds{*value}) : Cell{};
}

Cell bytes_cell(const std::optional<double>& value) {
  return value ? memory_size(Bytes{*value}) : Cell{};
}

Cell error_cell(const Pair& pair) {
  const std::optional<double> error = pair.signed_error();
  return error ? signed_share(*error) : Cell{};
}

/// How many of a kind a step has, which need not be whole.
Cell mean_count(double number) { return {.text = significant(number), .value = number}; }

std::string verdict_of(const TraceComparison& comparison) {
  const Seconds outside = comparison.outside();
  return outside.value > 0 ? "outside the interval by " + to_text(outside) : "within the interval";
}

std::string headline_of(const TraceComparison& comparison) {
  return "step recorded " + to_text(comparison.recorded.step) + ", predicted " +
         with_interval(comparison.predicted) + ": " + signed_share(comparison.signed_error()).text +
         ", " + verdict_of(comparison);
}

std::string device_of(const Trace& trace) {
  return trace.device.empty() ? "a GPU that the trace does not name" : trace.device;
}

std::string subject_of(const TraceComparison& comparison, const Prediction& prediction,
                       const Trace& trace) {
  const Asked& asked = prediction.asked;
  const TracedStep& ran = comparison.recorded;
  std::string text = asked.model + ", " + number_of(asked.ranks, "rank") + ", " + asked.strategy +
                     ", batch " + grouped(asked.batch) + ", " + asked.precision + ", " +
                     asked.optimizer + "; recorded ";
  if (trace.ranks > 1) text += "on rank " + grouped(trace.rank) + ", ";
  return text + "on " + device_of(trace) + ": mean of " +
         number_of(static_cast<std::int64_t>(ran.steps), "step") + " by " +
         std::string(name_of(ran.marks));
}

Fields setting_fields_of(const TraceComparison& comparison, const Prediction& prediction,
                         const Trace& trace) {
  const Asked& asked = prediction.asked;
  const TracedStep& ran = comparison.recorded;
  return {.key = {},
          .title = {},
          .rows = {{"model", {}, words(asked.model)},
                   {"cluster", {}, words(asked.cluster)},
                   {"ranks", {}, count(asked.ranks)},
                   {"batch", {}, count(asked.batch)},
                   {"precision", {}, words(asked.precision)},
                   {"optimizer", {}, words(asked.optimizer)},
                   {"strategy", {}, words(asked.strategy)},
                   {"device", {}, words(trace.device)},
                   {"rank", {}, count(trace.rank)},
                   {"steps", {}, count(static_cast<std::int64_t>(ran.steps))},
                   {"steps_from", {}, words(name_of(ran.marks))},
                   {"verdict", {}, words(verdict_of(comparison))},
                   {"inside_interval", {}, words(comparison.outside().value > 0 ? "no" : "yes")},
                   {"step_p10", {}, time(ran.low)},
                   {"step_p90", {}, time(ran.high)}},
          .shown = false};
}

Row part_row(const char* name, const Cell& predicted, const Pair& pair, const char* note) {
  return {{named(name), predicted, seconds_cell(pair.measured), error_cell(pair), words(note)}};
}

Row part_row(const char* name, const Pair& pair, const char* note) {
  return part_row(name, seconds_cell(pair.predicted), pair, note);
}

Table part_table_of(const TraceComparison& comparison) {
  return {.key = "parts",
          .title = "one step of the GPU",
          .columns = {text_column("part", "part"), number_column("predicted", "predicted", "s"),
                      number_column("measured", "recorded", "s"),
                      number_column("error", "error", "1"), text_column("note", "")},
          .rows = {part_row("compute", comparison.compute,
                            "predicted: with what kernels wait for the host"),
                   part_row("exposed_communication", comparison.exposed_communication,
                            "that no kernel hides"),
                   part_row("exposed_copies", comparison.exposed_copies,
                            "to and from the host, that nothing hides"),
                   part_row("idle", comparison.idle, "predicted: other stages, and the host"),
                   part_row("step", cost(comparison.predicted), comparison.step, ""),
                   part_row("communication", comparison.communication, "hidden or not")}};
}

Table class_table(const TraceComparison& comparison) {
  Table table{
      .key = "classes",
      .title = "kernels by class (sum over a step)",
      .columns = {text_column("class", "class"), number_column("kernels", "kernels"),
                  number_column("predicted", "predicted", "s"),
                  number_column("measured", "recorded", "s"), number_column("error", "error", "1")},
      .rows = {}};
  for (const ClassPair& pair : comparison.classes) {
    table.rows.push_back(
        {{named(name_of(pair.of)), mean_count(pair.kernels), seconds_cell(pair.seconds.predicted),
          seconds_cell(pair.seconds.measured), error_cell(pair.seconds)}});
  }
  return table;
}

Table collective_table(const TraceComparison& comparison) {
  Table table{
      .key = "collectives",
      .title = "communication by collective (sum over a step)",
      .columns = {text_column("collective", "collective"), number_column("calls", "calls"),
                  number_column("predicted", "predicted", "s"),
                  number_column("measured", "recorded", "s"), number_column("error", "error", "1")},
      .rows = {},
      .shown = !comparison.collectives.empty()};
  for (const CollectivePair& pair : comparison.collectives) {
    table.rows.push_back(
        {{way_cell(pair.name), mean_count(pair.calls), seconds_cell(pair.seconds.predicted),
          seconds_cell(pair.seconds.measured), error_cell(pair.seconds)}});
  }
  return table;
}

Row memory_row(const char* name, const Pair& pair) {
  return {{words(name), bytes_cell(pair.predicted), bytes_cell(pair.measured), error_cell(pair)}};
}

Table allocator_table(const TraceComparison& comparison) {
  Table table{
      .key = "peak_memory",
      .title = "peak memory of the allocator",
      .columns = {text_column("what", ""), number_column("predicted", "predicted", "B"),
                  number_column("measured", "recorded", "B"), number_column("error", "error", "1")},
      .rows = {}};
  if (comparison.allocated.measured) {
    table.rows.push_back(memory_row("allocated", comparison.allocated));
  }
  if (comparison.reserved.measured) {
    table.rows.push_back(memory_row("reserved", comparison.reserved));
  }
  table.shown = !table.rows.empty();
  return table;
}

Fields host_fields(const TracedStep& ran) {
  return {.key = "host",
          .title = {},
          .rows = {{"launch_interval", "launches", time(ran.launch_interval)},
                   {"linked", "linked", share(ran.linked)}},
          .shown = false};
}

Table unknown_table(const TracedStep& ran) {
  Table table{.key = "unknown_kernels",
              .title = "kernels of no known class",
              .columns = {text_column("kernel", "kernel"), number_column("kernels", "kernels"),
                          number_column("measured", "recorded", "s")},
              .rows = {},
              .shown = !ran.unknown.empty(),
              .most_rows = kMostUnknown,
              .rest = "all of them: --format json"};
  for (const TracedName& one : ran.unknown) {
    Cell name = words(shortened(one.name, kNameWidth));
    name.name = one.name;
    table.rows.push_back({{std::move(name), mean_count(one.of.count), time(one.of.time)}});
  }
  return table;
}

}  // namespace

Document trace_report(const TraceComparison& comparison, const Prediction& prediction,
                      const Trace& trace) {
  Document document{.schema = "oracle/trace-comparison/1",
                    .headline = headline_of(comparison),
                    .subject = subject_of(comparison, prediction, trace),
                    .sections = {},
                    .main = "parts"};
  auto& sections = document.sections;
  sections.emplace_back(setting_fields_of(comparison, prediction, trace));
  sections.emplace_back(part_table_of(comparison));
  sections.emplace_back(class_table(comparison));
  sections.emplace_back(collective_table(comparison));
  sections.emplace_back(allocator_table(comparison));
  sections.emplace_back(host_fields(comparison.recorded));
  sections.emplace_back(unknown_table(comparison.recorded));
  std::vector<std::string> notes = comparison.notes;
  notes.insert(notes.end(), prediction.assumptions.begin(), prediction.assumptions.end());
  sections.emplace_back(Notes{.key = "assumptions", .title = "assumed", .lines = std::move(notes)});
  return document;
}

}  // namespace oracle::report
