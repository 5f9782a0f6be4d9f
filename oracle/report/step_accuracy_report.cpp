#include "oracle/report/step_accuracy_report.h"

#include <algorithm>

#include "oracle/report/accuracy_report.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// What steps are grouped by, as words.
using Group = std::string (*)(const JudgedStep& step);

StepAccuracy accuracy_of(std::span<const JudgedStep> steps, Group group, const std::string& name) {
  std::vector<StepComparison> comparisons;
  for (const JudgedStep& step : steps) {
    if (group == nullptr || group(step) == name) comparisons.push_back(step.comparison);
  }
  return judge_steps(comparisons);
}

std::string fraction(std::size_t part, std::size_t whole) {
  return std::to_string(part) + " of " + std::to_string(whole);
}

Row summary_row(const std::string& name, const StepAccuracy& accuracy) {
  const Accuracy& time = accuracy.time;
  const Accuracy& memory = accuracy.memory;
  const auto timed = [&](const Cell& cell) { return time.count > 0 ? cell : Cell{}; };
  const auto sized = [&](const Cell& cell) { return memory.count > 0 ? cell : Cell{}; };
  return {{words(name), count(static_cast<std::int64_t>(time.count)), timed(share(time.median)),
           timed(share(time.p90)), timed(signed_share(time.worst)), timed(signed_share(time.bias)),
           timed(share(time.coverage)), count(static_cast<std::int64_t>(memory.count)),
           sized(share(memory.median)), sized(signed_share(memory.bias)),
           words(fraction(accuracy.agreed, accuracy.verdicts))}};
}

Table summary_table(std::span<const JudgedStep> steps, const char* key, const char* title,
                    Group group) {
  Table table{
      .key = key,
      .title = std::string("by ") + title,
      .columns = {text_column("name", title), number_column("steps", "steps"),
                  number_column("median", "median |error|", "1"), data_column("p90", "1"),
                  number_column("worst", "worst", "1"),
                  left_out(number_column("bias", "bias", "1"), 2),
                  number_column("coverage", "in interval", "1"), data_column("memory_steps"),
                  number_column("memory_median", "memory |error|", "1"),
                  left_out(number_column("memory_bias", "bias", "1"), 1),
                  left_out(text_column("verdicts", "fits as said"), 3)}};
  std::vector<std::string> names;
  for (const JudgedStep& step : steps) {
    if (std::find(names.begin(), names.end(), group(step)) == names.end()) {
      names.push_back(group(step));
    }
  }
  for (const std::string& name : names) {
    table.rows.push_back(summary_row(name, accuracy_of(steps, group, name)));
  }
  return table;
}

/// Who says that it fits.
const char* verdict_of(const StepComparison& step) {
  if (step.agrees()) return step.fits_measured ? "fits" : "out of memory";
  return step.fits_measured ? "fits, predicted not to" : "out of memory, predicted to fit";
}

Row step_row(const JudgedStep& step) {
  const StepComparison& c = step.comparison;
  const auto timed = [&](auto cell_of) { return c.time ? cell_of(*c.time) : Cell{}; };
  const auto sized = [&](auto cell_of) { return c.memory ? cell_of(*c.memory) : Cell{}; };
  return {{words(step.network), count(step.batch), words(step.mode), words(step.precision),
           words(step.how), timed([](const Comparison& t) { return time(t.measured); }),
           timed([](const Comparison& t) { return cost(t.predicted); }),
           timed([](const Comparison& t) { return signed_share(t.signed_error()); }),
           sized([](const MemoryComparison& m) { return memory_size(m.measured); }),
           sized([](const MemoryComparison& m) { return memory_size(m.predicted); }),
           sized([](const MemoryComparison& m) { return signed_share(m.signed_error()); }),
           words(verdict_of(c)), memory_size(c.needed), memory_size(c.available)}};
}

Table step_table(std::span<const JudgedStep> steps) {
  Table table{.key = "steps",
              .title = "step by step",
              .columns = {text_column("network", "network"), number_column("batch", "batch"),
                          text_column("mode", "mode"), data_column("precision"),
                          text_column("how", "how"), number_column("measured", "measured", "s"),
                          left_out(number_column("predicted", "predicted", "s"), 3),
                          number_column("error", "error", "1"),
                          left_out(number_column("memory_measured", "memory", "B"), 2),
                          left_out(number_column("memory_predicted", "predicted", "B"), 1),
                          left_out(number_column("memory_error", "error", "1"), 5),
                          left_out(text_column("verdict", "verdict"), 4),
                          data_column("needed", "B"), data_column("available", "B")}};
  for (const JudgedStep& step : steps) table.rows.push_back(step_row(step));
  return table;
}

std::string headline_of(const StepAccuracy& all) {
  if (all.verdicts == 0) return "no training step of these samples can be compared";
  const auto over = [](double error, const char* what, std::size_t steps) {
    return percent(error) + " in " + what + " (" +
           number_of(static_cast<std::int64_t>(steps), "step") + ")";
  };
  std::string text;
  if (all.time.count > 0) {
    text = "median error " + over(all.time.median, "time", all.time.count);
    if (all.memory.count > 0) text += ", " + over(all.memory.median, "memory", all.memory.count);
    text += "; ";
  }
  return text + "right about " + fraction(all.agreed, all.verdicts) + " whether it fits";
}

}  // namespace

Document step_accuracy_report(const SampleOrigin& origin, std::span<const JudgedStep> steps,
                              std::vector<std::string> notes, std::vector<std::string> left_out) {
  const StepAccuracy all = accuracy_of(steps, nullptr, "");
  Document document{.schema = "oracle/step-accuracy/1", .main = "steps"};
  document.headline = headline_of(all);
  document.subject = "signed error = (predicted - measured) / measured; nothing is fitted to these";
  document.sections.emplace_back(
      Fields{.key = "origin",
             .rows = {{"device", "measured on", words(origin.device)},
                      {"machine", "predicted for", words(origin.machine)},
                      {"started", "when", words(origin.started)},
                      {"versions", "with", words(origin.versions)}}});
  if (!steps.empty()) {
    Table networks = summary_table(steps, "by_network", "network",
                                   [](const JudgedStep& step) { return step.network; });
    networks.rows.push_back(summary_row("all", all));
    document.sections.emplace_back(std::move(networks));
    document.sections.emplace_back(summary_table(
        steps, "by_batch", "batch", [](const JudgedStep& step) { return grouped(step.batch); }));
    document.sections.emplace_back(
        summary_table(steps, "by_mode", "mode", [](const JudgedStep& step) { return step.mode; }));
    document.sections.emplace_back(
        summary_table(steps, "by_how", "how", [](const JudgedStep& step) { return step.how; }));
  }
  document.sections.emplace_back(step_table(steps));
  document.sections.emplace_back(
      Notes{.key = "compared", .title = "how they are compared", .lines = std::move(notes)});
  if (!left_out.empty()) {
    document.sections.emplace_back(
        Notes{.key = "left_out", .title = "left out", .lines = std::move(left_out)});
  }
  return document;
}

}  // namespace oracle::report
