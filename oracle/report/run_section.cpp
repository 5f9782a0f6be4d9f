#include "oracle/report/run_section.h"

#include <utility>

#include "oracle/base/quantity_text.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

constexpr double kHour = 3600, kDay = 24 * kHour;
/// Hours that are still said in hours.
constexpr double kLongest = 96;

Row run_row(std::string_view name, std::string label, std::int64_t steps, const Cost& step,
            double devices, double price) {
  Cost whole = step;
  whole.time = step.time * static_cast<double>(steps);
  const double hours = whole.time.value * devices / kHour;
  Cell time = cost(whole);
  time.text = run_time(whole.time) + " ± " + percent(whole.uncertainty);
  Row row{{Cell{.text = std::move(label), .name = std::string(name)}, count(steps), std::move(time),
           Cell{.text = significant(hours), .value = hours, .unit = "h"}}};
  if (price > 0) {
    row.cells.push_back(
        {.text = "$" + significant(hours * price), .value = hours * price, .unit = "USD"});
  }
  return row;
}

}  // namespace

std::string run_time(Seconds time) {
  if (time.value <= kLongest * kHour) return to_text(time);
  return significant(time.value / kDay) + " days";
}

Table run_table(const WholeRun& run, const Cost& step, std::int64_t batch, std::int64_t ranks,
                const Cluster& cluster) {
  const double devices = static_cast<double>(ranks) / static_cast<double>(cluster.ranks_per_device);
  const double price = cluster.device.price_per_hour;
  const std::int64_t steps = (run.samples + batch - 1) / batch;
  const std::string word = rank_word(cluster) == "GPU" ? "GPU" : "device";
  Table table{.key = "run",
              .title = "the run: " + number_of(run.samples, "sample") + ", " +
                       number_of(run.epochs, "epoch"),
              .columns = {text_column("part", {}), number_column("steps", "steps"),
                          number_column("time", "time", "s"),
                          number_column("device_hours", word + "-hours", "h")}};
  if (price > 0) table.columns.push_back(number_column("cost", "cost", "USD"));
  table.rows.push_back(run_row("epoch", "an epoch", steps, step, devices, price));
  table.rows.push_back(
      run_row("run", number_of(run.epochs, "epoch"), steps * run.epochs, step, devices, price));
  return table;
}

}  // namespace oracle::report
