#include "oracle/report/storage_section.h"

#include <algorithm>
#include <utility>

#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

/// The time with its interval, and what it is the time of.
Cell said(const Cost& price, const std::string& of) {
  Cell cell = cost(price);
  cell.text = with_interval(price) + (of.empty() ? "" : "  ") + of;
  return cell;
}

const char* slower_of(const InputCost& input) {
  return input.limited_by_workers() ? "workers" : "storage";
}

/// Where a described storage has no rate of decoding, none is counted.
const char* to_do(const StorageRequest& request) {
  const bool reads_only = request.reading && request.reading->decoded_per_second == 0;
  return reads_only ? " to read" : " to read and decode";
}

void append_input(const StorageCosts& costs, Fields& fields) {
  const InputCost& input = *costs.input;
  const std::string samples =
      number_of(input.samples, "sample") + " of " + size(input.sample).text + " a rank";
  const std::string workers = number_of(costs.request.workers, "worker");
  const auto& reading = costs.request.reading;
  if (reading) {
    fields.rows.push_back({"storage_system", "samples lie on",
                           words(reading->storage.id + ": " + reading->storage.name)});
  }
  if (input.cached) {
    fields.rows.push_back(
        {"storage_not_known", "storage", words("not known: samples were read from memory")});
  } else {
    fields.rows.push_back({"storage", "storage", said(input.storage, samples)});
  }
  fields.rows.push_back(
      {"workers", "workers", said(input.workers, workers + to_do(costs.request))});
  const bool waits = input.exposed.time.value > 0;
  Cell exposed = said(input.exposed, std::string("waiting for ") + slower_of(input));
  if (!waits) exposed.text = time(Seconds{0}).text;
  fields.rows.push_back({"exposed_input", "exposed input", std::move(exposed)});
}

}  // namespace

Fields storage_fields(const StorageCosts& costs) {
  Fields fields{.key = "storage", .title = "next to the step: input and checkpoints"};
  if (costs.input) append_input(costs, fields);
  if (costs.checkpoint) {
    const std::int64_t every = costs.request.checkpoint_every;
    const std::string how_often = every > 0 ? ", every " + number_of(every, "step") : "";
    fields.rows.push_back(
        {"checkpoint", "checkpoint",
         said(costs.checkpoint->time, memory_size(costs.checkpoint->bytes).text + how_often)});
  }
  fields.rows.push_back({"step_with_storage", "step with these", said(costs.step, "")});
  return fields;
}

std::string input_sentence(const InputCost& input, const StorageRequest& request) {
  std::string text =
      "a rank reads " + number_of(input.samples, "sample") + " of " + size(input.sample).text;
  if (request.reading) text += " from " + request.reading->storage.id;
  if (!input.cached) text += " in " + time(input.storage.time).text;
  text += "; " + number_of(request.workers, "worker") + to_do(request) +
          (request.workers == 1 ? " takes " : " take ") + time(input.workers.time).text + "; ";
  if (input.exposed.time.value == 0) return text + "a step does not wait for them";
  return text + time(input.exposed.time).text + " of each step are waiting for " + slower_of(input);
}

void assume(const StorageSystem& storage, Subject& subject) {
  std::vector<std::string>& lines = subject.assumptions;
  for (const FigureSource& source : storage.sources) {
    const std::string line = "storage " + storage.id + ": " + source.text;
    const bool said = std::find(lines.begin(), lines.end(), line) != lines.end();
    if (source.kind == Source::assumed && !said) lines.push_back(line);
  }
}

}  // namespace oracle::report
