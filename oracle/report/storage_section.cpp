#include "oracle/report/storage_section.h"

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

void append_input(const StorageCosts& costs, Fields& fields) {
  const InputCost& input = *costs.input;
  const std::string samples =
      number_of(input.samples, "sample") + " of " + size(input.sample).text + " a rank";
  const std::string workers = number_of(costs.request.workers, "worker");
  if (input.cached) {
    fields.rows.push_back(
        {"storage_not_known", "storage", words("not known: samples were read from memory")});
  } else {
    fields.rows.push_back({"storage", "storage", said(input.storage, samples)});
  }
  fields.rows.push_back(
      {"workers", "workers", said(input.workers, workers + " to read and decode")});
  const bool waits = input.exposed.time.value > 0;
  const char* of = input.limited_by_workers() ? "waiting for workers" : "waiting for storage";
  Cell exposed = said(input.exposed, of);
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

}  // namespace oracle::report
