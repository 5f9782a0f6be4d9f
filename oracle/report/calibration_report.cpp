#include "oracle/report/calibration_report.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/statistics.h"
#include "oracle/graph/layer.h"
#include "oracle/report/text.h"

namespace oracle::report {
namespace {

double relative(double log_error) { return std::expm1(log_error); }

Table fit_table(const CalibrationView& view) {
  Table table{
      .key = "fits",
      .title = "kernels that were not measured, predicted from those that were",
      .columns = {text_column("family", "kernels"), text_column("pass", "pass"),
                  text_column("type", "format"), left_out(number_column("shapes", "shapes"), 2),
                  number_column("median_error", "cross-validation error", "1"),
                  number_column("high_error", "p90", "1"),
                  left_out(number_column("outliers", "outliers"), 1), text_column("verdict", "")}};
  for (const KernelFit& fit : view.profile.fits) {
    const bool bad = fit.median_error > view.bad_error;
    table.rows.push_back(
        {{words(fit.family), named(name_of(static_cast<Pass>(fit.pass))), words(name_of(fit.type)),
          count(static_cast<std::int64_t>(fit.points.size())), share(relative(fit.median_error)),
          share(relative(fit.high_error)), count(fit.outliers), words(bad ? "bad" : "")}});
  }
  return table;
}

Table link_table(const CalibrationView& view) {
  Table table{.key = "links",
              .title = "links",
              .columns = {text_column("level", "level"), text_column("operation", "operation"),
                          number_column("ranks", "ranks"), number_column("latency", "latency", "s"),
                          number_column("bandwidth", "bandwidth", "B/s"),
                          left_out(number_column("segments", "segments"), 1),
                          left_out(number_column("residual", "residual", "1"), 2),
                          number_column("leave_one_out", "cross-validation error", "1"),
                          text_column("verdict", "")}};
  for (const LinkFit& fit : view.profile.links) {
    table.rows.push_back(
        {{words(fit.level), words(fit.operation.empty() ? "message" : fit.operation),
          fit.ranks > 0 ? count(fit.ranks) : words("any"), time(fit.pieces.front().latency),
          bandwidth(fit.pieces.back().bandwidth),
          count(static_cast<std::int64_t>(fit.pieces.size())), share(fit.residual),
          share(fit.leave_one_out), words(fit.tabulated ? "bad" : "")}});
  }
  return table;
}

Table storage_table(const CalibrationView& view) {
  Table table{
      .key = "storage",
      .title = "storage",
      .columns = {text_column("operation", "operation"), number_column("workers", "workers"),
                  number_column("latency", "latency", "s"), number_column("rate", "rate", "B/s"),
                  number_column("uncertainty", "±", "1"),
                  left_out(number_column("measurements", "measurements"), 1),
                  text_column("from", "")}};
  for (const StorageRate& rate : view.profile.storage) {
    table.rows.push_back({{named(name_of(rate.operation)), count(rate.workers), time(rate.latency),
                           bandwidth(rate.rate), share(rate.uncertainty), count(rate.samples),
                           words(rate.cached ? "from memory" : "")}});
  }
  return table;
}

bool has_bad_fit(const CalibrationView& view) {
  const Profile& profile = view.profile;
  return std::any_of(profile.fits.begin(), profile.fits.end(),
                     [&](const KernelFit& fit) { return fit.median_error > view.bad_error; }) ||
         std::any_of(profile.links.begin(), profile.links.end(),
                     [](const LinkFit& fit) { return fit.tabulated; });
}

std::string headline_of(const CalibrationView& view) {
  const auto counted = [](std::size_t n, std::string_view what) {
    return number_of(static_cast<std::int64_t>(n), what);
  };
  std::vector<double> errors;
  for (const KernelFit& fit : view.profile.fits) errors.push_back(fit.median_error);
  std::string text = counted(view.profile.kernels.size(), "kernel") + " measured, " +
                     counted(view.profile.fits.size(), "fit") + " of kernels";
  if (!errors.empty()) {
    text += ", off by " + percent(relative(median(errors))) + " in the median where left out";
  }
  text += ", " + counted(view.profile.links.size(), "fit") + " of links";
  if (view.profile.storage.empty()) return text;
  return text + ", " + counted(view.profile.storage.size(), "rate") + " of storage";
}

}  // namespace

Document calibration_report(const CalibrationView& view) {
  Document document{.schema = "oracle/calibration/1", .main = "fits"};
  document.headline =
      view.unreached.empty() ? headline_of(view) : view.unreached + "; " + headline_of(view);
  document.subject = "profile of " + view.cluster.device.name + " in " + view.file;
  Fields about{.key = "measured", .title = "measured"};
  for (const auto& [name, value] : view.measured) about.rows.push_back({name, name, words(value)});
  document.sections.emplace_back(std::move(about));
  if (!view.profile.fits.empty()) document.sections.emplace_back(fit_table(view));
  if (!view.profile.links.empty()) document.sections.emplace_back(link_table(view));
  if (!view.profile.storage.empty()) document.sections.emplace_back(storage_table(view));
  Notes notes{"notes", "notes", view.notes};
  if (has_bad_fit(view)) {
    notes.lines.emplace_back(
        "bad fits are off where shapes were left out; what was measured counts "
        "all the same");
  }
  if (!notes.lines.empty()) document.sections.emplace_back(std::move(notes));
  return document;
}

}  // namespace oracle::report
