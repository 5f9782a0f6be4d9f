#pragma once
// A document as text, for comparison with the expected lines.

#include <sstream>
#include <string>

#include "oracle/report/format/format.h"

namespace oracle::report {

inline std::string as_table(const Document& document, const Style& style = {}) {
  std::ostringstream out;
  write_table(document, style, out);
  return out.str();
}

inline std::string as_csv(const Document& document) {
  std::ostringstream out;
  write_csv(document, {}, out);
  return out.str();
}

inline std::string as_json(const Document& document) {
  std::ostringstream out;
  write_json(document, {}, out);
  return out.str();
}

}  // namespace oracle::report
