#include "oracle/report/job_section.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "oracle/base/statistics.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

std::string difference(double predicted, double measured) {
  const double error = predicted / measured - 1;
  return percent(std::abs(error)) + (error < 0 ? " less" : " more");
}

Field steps_field(std::span<const Seconds> steps, Seconds middle) {
  const auto [least, most] = std::minmax_element(
      steps.begin(), steps.end(), [](Seconds a, Seconds b) { return a.value < b.value; });
  Cell cell = time(middle);
  cell.text += ", median of " + number_of(static_cast<std::int64_t>(steps.size()), "step") + " (" +
               time(*least).text + " to " + time(*most).text + ")";
  return {"measured_step", "measured", std::move(cell)};
}

Field predicted_field(const Cost& step, Seconds middle) {
  Cell cell = cost(step);
  const double error = std::abs(step.time / middle - 1);
  const bool inside = std::abs(middle / step.time - 1) <= step.uncertainty;
  cell.text = with_interval(step) + ": " +
              (error < 0.0005 ? "the same" : difference(step.time.value, middle.value)) +
              (inside ? ", inside its interval" : ", outside its interval");
  return {"predicted_step", "predicted", std::move(cell)};
}

Field memory_field(const char* key, Bytes measured, Bytes predicted) {
  Cell cell = memory_size(measured);
  cell.text += " at most; " + memory_size(predicted).text + " predicted, " +
               difference(predicted.value, measured.value);
  return {std::string("measured_") + key, key, std::move(cell)};
}

}  // namespace

Fields job_fields(const MeasuredJob& measured, const Fits& fits) {
  Fields fields{.key = "job", .title = "measured by the job"};
  if (!measured.steps.empty()) {
    const Seconds middle = median_of(measured.steps);
    fields.rows.push_back(steps_field(measured.steps, middle));
    fields.rows.push_back(predicted_field(fits.step, middle));
    if (measured.factor) {
      Cell cell = share(*measured.factor);
      cell.text = "as if they took " + significant(*measured.factor) + " times as long as priced";
      fields.rows.push_back({"kernel_factor", "kernels", std::move(cell)});
    }
  }
  if (measured.allocated.value > 0) {
    fields.rows.push_back(memory_field("allocated", measured.allocated, fits.memory.allocated()));
  }
  if (measured.reserved.value > 0) {
    fields.rows.push_back(
        memory_field("reserved", measured.reserved, fits.memory.shown(MemoryShown::reserved)));
  }
  return fields;
}

}  // namespace oracle::report
