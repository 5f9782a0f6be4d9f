#include "oracle/io/measurements/measurements.h"

#include "oracle/base/error.h"
#include "oracle/io/file_bytes.h"
#include "oracle/io/measurements/lines.h"

namespace oracle {
namespace {

constexpr std::size_t kMostTextBytes = std::size_t{16} << 20;

std::string known_formats() {
  std::string text;
  for (const MeasurementFormat& format : all_measurement_formats()) {
    text += (text.empty() ? "" : ", ") + std::string(format.text);
  }
  return text;
}

std::string refusals(const Measurements& read) {
  constexpr std::size_t kMostReasons = 5;
  std::string text;
  std::size_t reasons = 0;
  for (const auto& [why, rows] : read.refused) {
    if (++reasons > kMostReasons) break;
    text += (text.empty() ? "" : "; ") + std::to_string(rows) + " " + why;
  }
  if (reasons > kMostReasons) text += "; and others";
  return text.empty() ? "no rows" : text;
}

}  // namespace

Measurements read_measurements(std::string_view text, const std::string& name,
                               const MeasurementHints& hints) {
  if (text.size() > kMostTextBytes) {
    throw InputError(name, "is longer than 16 MiB", "give the part with the results");
  }
  const std::string plain = without_colors(text);
  for (const MeasurementFormat& format : all_measurement_formats()) {
    if (!format.recognizes(plain)) continue;
    Measurements read;
    read.format = format.name;
    format.read(plain, name, hints, read);
    if (read.links.empty() && read.benchmarks.empty()) {
      throw InputError(name, "holds no row of " + read.format + " to keep: " + refusals(read),
                       "give what it does not say as options, or a whole output");
    }
    return read;
  }
  throw InputError(name, "is the output of no tool that is known", "known are " + known_formats());
}

Measurements load_measurements(const std::filesystem::path& file, const MeasurementHints& hints) {
  return read_measurements(read_bytes(file, kMostTextBytes), file.string(), hints);
}

}  // namespace oracle
