#include "validate/compare/comparison_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "oracle/base/quantity_text.h"
#include "oracle/report/accuracy_report.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"
#include "validate/compare/item_tables.h"

namespace oracle {
namespace {

using report::Fields;

std::string signed_percent(double fraction) { return report::signed_share(fraction).text; }

std::string broken_promise(const RunComparison& comparison, const Measurement& run) {
  if (run.check && !run.check->holds) return "the run differs from the serial run";
  if (!comparison.counters_agree) return "bytes on the wire are not those of the plan's items";
  for (const TransferPair& pair : comparison.transfers) {
    if (pair.wire != Wire::differs) continue;
    return pair.key.collective + " of " + pair.key.layer + " sent " +
           to_text(Bytes{*pair.sent.measured}) + " where the plan has " +
           to_text(Bytes{*pair.sent.predicted});
  }
  return {};
}

std::string verdict_text(const RunComparison& comparison) {
  if (comparison.outside().value > 0) {
    return "outside the interval by " + to_text(comparison.outside());
  }
  return "within the interval";
}

std::string headline(const RunComparison& comparison, const Prediction& prediction,
                     const Measurement& run) {
  const Comparison& step = comparison.step;
  std::string text = "step measured " + to_text(step.measured) +
                     (prediction.is_run ? ", before " : ", predicted ") +
                     report::with_interval(step.predicted) + ": " +
                     signed_percent(step.signed_error()) + ", " + verdict_text(comparison);
  const std::string broken = broken_promise(comparison, run);
  return broken.empty() ? text : broken + "; " + text;
}

std::string subject(const Measurement& run, const RunComparison& comparison) {
  const Asked& asked = run.asked;
  return asked.model + ", " + report::number_of(asked.ranks, "rank") + ", " + asked.strategy +
         ", batch " + report::grouped(asked.batch) + ", " + asked.precision + ", " +
         asked.optimizer + "; median of " +
         report::number_of(static_cast<std::int64_t>(comparison.spread.steps), "step") + " of " +
         report::grouped(static_cast<std::int64_t>(run.step_seconds.size()));
}

report::Cell text_cell(const std::string& text) { return report::words(text); }

report::Cell loss_cell(double loss) {
  if (!std::isfinite(loss)) return text_cell("not a number");
  return {.text = report::significant(loss), .value = loss};
}

Fields setting_fields(const Measurement& run, const RunComparison& comparison) {
  const Asked& asked = run.asked;
  return {
      .key = {},
      .title = {},
      .rows = {{"model", {}, text_cell(asked.model)},
               {"cluster", {}, text_cell(asked.cluster)},
               {"ranks", {}, report::count(asked.ranks)},
               {"batch", {}, report::count(asked.batch)},
               {"precision", {}, text_cell(asked.precision)},
               {"optimizer", {}, text_cell(asked.optimizer)},
               {"strategy", {}, text_cell(asked.strategy)},
               {"verdict", {}, text_cell(verdict_text(comparison))},
               {"inside_interval", {}, text_cell(comparison.step.inside_interval() ? "yes" : "no")},
               {"promises", {}, text_cell(promises_hold(comparison, run) ? "kept" : "broken")},
               {"step_p10", {}, report::time(Seconds{comparison.spread.p10})},
               {"step_p90", {}, report::time(Seconds{comparison.spread.p90})},
               {"first_loss", {}, loss_cell(run.losses.front())},
               {"last_loss", {}, loss_cell(run.losses.back())},
               {"sent", {}, report::size(Bytes{run.sent_bytes})},
               {"footprint", {}, report::memory_size(Bytes{run.footprint})}},
      .shown = false};
}

std::string bytes_text(const RunComparison& comparison, const Measurement& run) {
  const std::string text = to_text(Bytes{run.sent_bytes}) + " a step by all ranks, ";
  if (!comparison.counters_agree) return text + "not what the items add up to";
  const auto off = std::count_if(comparison.transfers.begin(), comparison.transfers.end(),
                                 [](const TransferPair& p) { return p.wire == Wire::differs; });
  if (off > 0) return text + "other than the plan's in " + report::number_of(off, "transfer");
  return text + "equal to the plan's";
}

/// "2.4e-07"
std::string scientific(double number) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2g", number);
  return text.data();
}

std::string check_text(const SerialCheck& check) {
  std::string text = check.holds ? "equals" : "differs from";
  text += " the serial run: loss off by " + scientific(check.loss_error) + ", gradients by " +
          scientific(check.gradient_error) + " at most";
  return check.parameter.empty() ? text : text + " (" + check.parameter + ")";
}

std::string input_text(const RunInputRate& input) {
  std::string text = input.data;
  if (input.images_per_second > 0) {
    text += ": " + report::significant(input.images_per_second) + " images/s by a rank's workers";
  }
  return text + ", " + to_text(Seconds{input.wait_seconds}) + " of a step";
}

/// "3 of 1.2 MB, synchronous; 10 ms of waiting for one, predicted 12 ms: +20 %"
std::string checkpoints_text(const RunCheckpoints& run, const RunComparison& comparison) {
  std::string text = report::grouped(run.count) + " of " + to_text(Bytes{run.bytes}) +
                     (run.asynchronous ? ", asynchronous; " : ", synchronous; ") +
                     to_text(Seconds{run.wait_seconds}) + " of waiting for one";
  if (run.asynchronous) text += ", " + to_text(Seconds{run.write_seconds}) + " to write";
  const Pair& pair = comparison.checkpoint;
  if (!pair.predicted) return text;
  text += ", predicted " + to_text(Seconds{*pair.predicted});
  const auto error = pair.signed_error();
  return error ? text + ": " + signed_percent(*error) : text;
}

/// Of "2.04 1.28 1.11 2/96 8075" the first figure.
std::string load_text(const std::string& load) {
  return load.substr(0, load.find(' ')) + " processes in the minute before the steps";
}

Fields run_fields(const RunComparison& comparison, const Measurement& run) {
  const StepSpread& spread = comparison.spread;
  Fields fields{.key = "run", .title = {}, .rows = {}};
  const auto add = [&](const char* key, const char* label, const std::string& text) {
    fields.rows.push_back({key, label, text_cell(text)});
  };
  add("losses", "loss",
      loss_cell(run.losses.front()).text + " initial, " + loss_cell(run.losses.back()).text +
          " final");
  add("steps", "steps",
      to_text(Seconds{spread.p10}) + " to " + to_text(Seconds{spread.p90}) +
          " (10th to 90th percentile)");
  add("bytes", "sent", bytes_text(comparison, run));
  for (const auto& [key, value] : run.context) {
    if (key == "sharing") add("sharing", "shared", value);
    if (key == "load") add("load", "load", load_text(value));
  }
  if (run.input) add("input", "input", input_text(*run.input));
  if (run.noise) add("noise_scale", "noise scale", to_text(*run.noise));
  if (run.checkpoints) {
    add("checkpoints", "checkpoints", checkpoints_text(*run.checkpoints, comparison));
  }
  if (run.check) add("check", "check", check_text(*run.check));
  return fields;
}

Fields context_fields(const Measurement& run) {
  Fields fields{.key = "context", .title = {}, .rows = {}, .shown = false};
  for (const auto& [key, value] : run.context) fields.rows.push_back({key, {}, text_cell(value)});
  return fields;
}

report::Table shown_if(report::Table table, bool shown) {
  table.shown = shown;
  return table;
}

std::string main_table(ByItem by) {
  if (by == ByItem::layer) return "layers";
  return by == ByItem::transfer ? "transfers" : "parts";
}

}  // namespace

bool promises_hold(const RunComparison& comparison, const Measurement& run) {
  return comparison.bytes_hold() && (!run.check || run.check->holds);
}

report::Document comparison_report(const RunComparison& comparison, const Prediction& prediction,
                                   const Measurement& run, ByItem by) {
  report::Document document{.schema = "oracle/comparison/1",
                            .headline = headline(comparison, prediction, run),
                            .subject = subject(run, comparison),
                            .sections = {},
                            .main = main_table(by)};
  auto& sections = document.sections;
  const Sides sides = prediction.is_run ? Sides{"before", "now"} : Sides{"predicted", "measured"};
  sections.emplace_back(setting_fields(run, comparison));
  sections.emplace_back(part_table(comparison, sides));
  sections.emplace_back(memory_table(comparison, sides));
  sections.emplace_back(run_fields(comparison, run));
  sections.emplace_back(shown_if(layer_pair_table(comparison, sides), by == ByItem::layer));
  sections.emplace_back(shown_if(transfer_pair_table(comparison, sides), by == ByItem::transfer));
  sections.emplace_back(context_fields(run));
  std::vector<std::string> notes = comparison.notes;
  notes.insert(notes.end(), prediction.assumptions.begin(), prediction.assumptions.end());
  if (!notes.empty()) {
    sections.emplace_back(
        report::Notes{.key = "assumptions", .title = "assumed", .lines = std::move(notes)});
  }
  return document;
}

}  // namespace oracle
