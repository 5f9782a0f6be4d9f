#include "oracle/report/format/format.h"

#include <array>
#include <string>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/suggest.h"

namespace oracle::report {
namespace {

constexpr std::array<Format, 5> kFormats = {{
    {"table", write_table},
    {"json", write_json},
    {"csv", write_csv},
    {"trace", write_trace},
    {"report", write_report},
}};

}  // namespace

std::span<const Format> all_formats() { return kFormats; }

const Format& format_named(std::string_view name) {
  std::vector<std::string> names;
  for (const Format& format : kFormats) {
    if (format.name == name) return format;
    names.emplace_back(format.name);
  }
  throw InputError("--format", in_quotes(name) + " is not a format", suggestion(name, names));
}

}  // namespace oracle::report
