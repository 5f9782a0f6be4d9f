#pragma once
// What did a site already measure, according to the output of its tools?
//
// One reader a format (formats.cpp lists them); which one a text needs, it says itself. A row that
// is no measurement (no bytes, a failed check, "N/A" in place of a time, an operation the engine
// has not) is refused and counted with its reason; it never becomes a zero. What the output does
// not tell (how many ranks an osu_allreduce had) comes as a hint.
//
// Worked: 4 MB of all_reduce_perf in "1745.4" out of place and "1673.2" in place on 2 ranks of 2
// hosts are two samples across the network           tests/io/measurements/nccl_text_test.cpp

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/measurements/link_sample.h"

namespace oracle {

/// What the user says of a file; used where the file itself does not say.
struct MeasurementHints {
  std::string level;
  std::int64_t ranks = 0;  ///< 0: not said
  std::int64_t per_unit = 1;
  std::optional<LinkOperation> operation;
};

/// One row of Google Benchmark: the mean over its iterations.
struct BenchmarkTime {
  std::string name;  ///< "convolution/64/56/real_time"
  Seconds real;
  std::optional<Seconds> cpu;
  std::int64_t iterations = 1;
};

struct Measurements {
  std::string format;  ///< "nccl-tests"
  std::vector<LinkSample> links;
  std::vector<BenchmarkTime> benchmarks;
  std::map<std::string, std::size_t> refused;  ///< why, and how many rows
};

struct MeasurementFormat {
  std::string_view name;
  std::string_view text;
  bool (*recognizes)(std::string_view text);
  /// Adds what it reads. Throws InputError where the text as a whole makes no sense.
  void (*read)(std::string_view text, const std::string& name, const MeasurementHints& hints,
               Measurements& into);
};

std::span<const MeasurementFormat> all_measurement_formats();

/// `name` is the file's, in messages and where it names the operation ("all_gather.log"). Throws
/// InputError for a text of no known format, and where there is not one row to keep.
Measurements read_measurements(std::string_view text, const std::string& name,
                               const MeasurementHints& hints = {});

/// Throws EnvironmentError where the file cannot be read, too.
Measurements load_measurements(const std::filesystem::path& file,
                               const MeasurementHints& hints = {});

}  // namespace oracle
