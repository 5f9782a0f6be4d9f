#include "oracle/report/library_fit_report.h"

#include <utility>
#include <vector>

#include "oracle/accuracy/library_fit.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

Cell number(double value) { return {.text = significant(value), .value = value}; }

/// A table whose rows begin with the device and the format of a fit.
Table table_of(std::string key, std::string title, std::vector<Column> rest) {
  Table table{.key = std::move(key),
              .title = std::move(title),
              .columns = {text_column("device", "device"), text_column("precision", "format")}};
  for (Column& column : rest) table.columns.push_back(std::move(column));
  return table;
}

Row row_of(const LibraryFit& fit, Cell what, double in_use, double fitted) {
  return {
      {words(fit.device), words(fit.precision), std::move(what), number(in_use), number(fitted)}};
}

}  // namespace

Document library_fit_report(std::span<const LibraryFit> fits) {
  Document document{.schema = "oracle/library-fit/1", .main = "constants"};
  document.headline = "constants of GPU libraries, fitted on published kernels of " +
                      number_of(static_cast<std::int64_t>(fits.size()), "set");
  document.subject = "loss: mean |ln(predicted / measured)|, at most 1 each; no kernel judges";
  Table losses =
      table_of("losses", "by device",
               {number_column("kernels", "kernels"), number_column("in_use", "loss in use"),
                number_column("fitted", "loss fitted")});
  Table constants =
      table_of("constants", "constants",
               {text_column("constant", "constant"), number_column("in_use", "in use"),
                number_column("fitted", "fitted")});
  for (const LibraryFit& fit : fits) {
    losses.rows.push_back(row_of(fit, count(static_cast<std::int64_t>(fit.kernels)),
                                 fit.loss_in_use, fit.loss_fitted));
    GpuLibrary in_use = fit.in_use, fitted = fit.fitted;
    for (const LibraryConstant& constant : library_constants()) {
      if (constant.of(in_use) == 0) continue;
      constants.rows.push_back(
          row_of(fit, words(constant.name), constant.of(in_use), constant.of(fitted)));
    }
  }
  document.sections.emplace_back(std::move(losses));
  document.sections.emplace_back(std::move(constants));
  return document;
}

}  // namespace oracle::report
