#include "validate/compare/item_tables.h"

#include <algorithm>

#include "oracle/report/accuracy_report.h"
#include "oracle/report/item_tables.h"
#include "oracle/report/text.h"

namespace oracle {
namespace {

using report::Cell;
using report::Column;
using report::Table;

Cell seconds_cell(const std::optional<double>& seconds) {
  return seconds ? report::time(Seconds{*seconds}) : Cell{};
}

Cell bytes_cell(const std::optional<double>& bytes) {
  return bytes ? report::size(Bytes{*bytes}) : Cell{};
}

Cell error_cell(const Pair& pair) {
  const std::optional<double> error = pair.signed_error();
  return error ? report::signed_share(*error) : Cell{};
}

report::Row part_row(const char* name, const Cell& predicted, const Pair& pair,
                     const std::string& note) {
  return {{report::named(name), predicted, seconds_cell(pair.measured), error_cell(pair),
           report::words(note)}};
}

report::Row part_row(const char* name, const Pair& pair, const std::string& note) {
  return part_row(name, seconds_cell(pair.predicted), pair, note);
}

Column stage_column(const RunComparison& comparison) {
  const bool staged = std::any_of(comparison.layers.begin(), comparison.layers.end(),
                                  [](const LayerPair& layer) { return layer.stage > 0; });
  return staged ? report::number_column("stage", "stage") : report::data_column("stage");
}

Cell stage_cell(std::size_t stage) { return report::count(static_cast<std::int64_t>(stage)); }

}  // namespace

Table part_table(const RunComparison& comparison, const Sides& sides) {
  const Comparison& step = comparison.step;
  Table table{
      .key = "parts",
      .title = "one step",
      .columns = {report::text_column("part", "part"),
                  report::number_column("predicted", sides.predicted, "s"),
                  report::number_column("measured", sides.measured, "s"),
                  report::number_column("error", "error", "1"), report::text_column("note", "")},
      .rows = {}};
  const Pair whole{step.predicted.time.value, step.measured.value};
  table.rows = {part_row("forward", comparison.forward, ""),
                part_row("backward", comparison.backward, ""),
                part_row("update", comparison.update, "optimizer"),
                part_row("exposed_activation", comparison.exposed_activation,
                         "waiting for activation communication"),
                part_row("exposed_gradient", comparison.exposed_gradient,
                         "waiting for gradient communication"),
                part_row("rest", comparison.rest, "other stages, and host time outside operations"),
                part_row("step", report::cost(step.predicted), whole, ""),
                part_row("exposed_communication", comparison.exposed, "of it")};
  return table;
}

Table memory_table(const RunComparison& comparison, const Sides& sides) {
  const auto cell = [](const std::optional<double>& bytes) {
    return bytes ? report::memory_size(Bytes{*bytes}) : Cell{};
  };
  return {.key = "peak_memory",
          .title = "peak memory of a rank, without what a runtime reserves",
          .columns = {report::text_column("what", ""),
                      report::number_column("predicted", sides.predicted, "B"),
                      report::number_column("measured", sides.measured, "B"),
                      report::number_column("error", "error", "1")},
          .rows = {{{report::words("peak"), cell(comparison.memory.predicted),
                     cell(comparison.memory.measured), error_cell(comparison.memory)}}}};
}

Table layer_pair_table(const RunComparison& comparison, const Sides& sides) {
  Table table{.key = "layers",
              .title = "by layer (one rank, whole step)",
              .columns = {report::text_column("layer", "layer"), stage_column(comparison),
                          report::number_column("predicted", sides.predicted, "s"),
                          report::number_column("measured", sides.measured, "s"),
                          report::number_column("error", "error", "1"),
                          report::data_column("forward_predicted", "s"),
                          report::data_column("forward_measured", "s"),
                          report::data_column("backward_data_predicted", "s"),
                          report::data_column("backward_data_measured", "s"),
                          report::data_column("backward_weights_predicted", "s"),
                          report::data_column("backward_weights_measured", "s")},
              .rows = {}};
  for (const LayerPair& layer : comparison.layers) {
    report::Row row{{report::words(layer.layer), stage_cell(layer.stage),
                     seconds_cell(layer.total.predicted), seconds_cell(layer.total.measured),
                     error_cell(layer.total)}};
    for (const Pair* pass : {&layer.forward, &layer.backward_data, &layer.backward_weights}) {
      row.cells.push_back(seconds_cell(pass->predicted));
      row.cells.push_back(seconds_cell(pass->measured));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table transfer_pair_table(const RunComparison& comparison, const Sides& sides) {
  Table table{
      .key = "transfers",
      .title = "by transfer (one rank, whole step): what the step waits for, bytes sent",
      .columns = {report::text_column("layer", "layer"), report::text_column("payload", "moves"),
                  report::text_column("collective", "by"), report::data_column("phase"),
                  stage_column(comparison), report::data_column("predicted_busy", "s"),
                  report::number_column("predicted", sides.predicted, "s"),
                  report::number_column("measured", sides.measured, "s"),
                  report::number_column("error", "error", "1"),
                  report::number_column("planned", "plan", "B"),
                  report::number_column("sent", "sent", "B"),
                  report::text_column("bytes", "bytes")},
      .rows = {}};
  for (const TransferPair& pair : comparison.transfers) {
    const TransferSeconds& key = pair.key;
    const bool ran = pair.wire != Wire::unknown;
    table.rows.push_back(
        {{report::words(key.layer), report::named(key.payload), report::way_cell(key.collective),
          report::words(key.phase), stage_cell(key.stage), seconds_cell(pair.predicted_busy),
          seconds_cell(pair.exposed.predicted), seconds_cell(pair.exposed.measured),
          error_cell(pair.exposed), bytes_cell(pair.sent.predicted), bytes_cell(pair.sent.measured),
          ran ? report::words(name_of(pair.wire)) : Cell{}}});
  }
  return table;
}

}  // namespace oracle
