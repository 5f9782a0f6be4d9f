#pragma once
// The outputs of other tools that are kept as test data.

#include <string>

#include "oracle/base/error.h"
#include "oracle/io/measurements/measurements.h"

namespace oracle {

inline Measurements read_kept(const std::string& file, const MeasurementHints& hints = {}) {
  return load_measurements(std::string(ORACLE_SOURCE_DIR "/tests/data/measurements/") + file,
                           hints);
}

inline std::size_t refused(const Measurements& read) {
  std::size_t rows = 0;
  for (const auto& [why, count] : read.refused) rows += count;
  return rows;
}

/// Why a text is refused.
inline std::string refusal(const std::string& text, const MeasurementHints& hints = {}) {
  try {
    read_measurements(text, "some.log", hints);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

}  // namespace oracle
