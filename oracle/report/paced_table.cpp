#include "oracle/report/paced_table.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/statistics.h"
#include "oracle/report/sections.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

double middle_width(std::span<const Comparison> comparisons) {
  std::vector<double> widths;
  for (const Comparison& one : comparisons) widths.push_back(one.predicted.uncertainty);
  return median(widths);
}

}  // namespace

Table paced_table(std::span<const PacedRun> runs) {
  Table table{.key = "with_one_run",
              .title = "median error without and with one run of the same network and device known",
              .columns = {text_column("scale", "scale"), text_column("set", "set"),
                          number_column("runs", "runs"), number_column("without", "without", "1"),
                          number_column("with", "with", "1"),
                          left_out(number_column("p90_without", "p90 without", "1"), 2),
                          left_out(number_column("p90", "p90", "1"), 2),
                          left_out(number_column("bias", "bias", "1"), 1),
                          number_column("coverage", "in interval", "1"), data_column("worst", "1"),
                          data_column("half_width", "1")}};
  using Sides = std::pair<std::vector<Comparison>, std::vector<Comparison>>;
  std::map<std::pair<bool, std::string>, Sides> found;
  for (const PacedRun& run : runs) {
    for (const std::string& scale : {run.scale, std::string("any")}) {
      auto& [before, after] = found[{run.fitted, scale}];
      before.push_back(run.before);
      after.push_back(run.after);
    }
  }
  for (const auto& [key, sides] : found) {
    const Accuracy before = judge(sides.first), after = judge(sides.second);
    table.rows.push_back(
        {{words(key.second), words(set_of(key.first)),
          count(static_cast<std::int64_t>(after.count)), share(before.median), share(after.median),
          share(before.p90), share(after.p90), signed_share(after.bias), share(after.coverage),
          signed_share(after.worst), share(middle_width(sides.second))}});
  }
  return table;
}

}  // namespace oracle::report
