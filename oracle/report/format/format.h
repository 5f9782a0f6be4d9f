#pragma once
// In which forms can an answer be written?
//
//   table  for people: as wide as the terminal, sentences at most 100 columns, numbers
//   right-aligned,
//          three significant digits; columns that find no room are left out and named
//   json   for programs: full precision, {"value": …, "unit": …} for every quantity; of a network,
//          cluster or device the file that can be edited and read back
//   report what json is of everything else: the figures of a network's layers
//   csv    for spreadsheets: the document's main table, units in the headings (RFC 4180)
//   trace  for Perfetto: the events of an estimate's timeline, streams as tracks
//                                                              tests/report/format_*_test.cpp

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string_view>

#include "oracle/report/document.h"

namespace oracle::report {

struct Style {
  bool color = false;
  std::size_t width = 100;  ///< columns of a table
};

struct Format {
  std::string_view name;
  void (*write)(const Document& document, const Style& style, std::ostream& out);
};

std::span<const Format> all_formats();

/// Throws InputError (place "--format") with a suggestion when the name is unknown.
const Format& format_named(std::string_view name);

void write_table(const Document& document, const Style& style, std::ostream& out);
void write_json(const Document& document, const Style& style, std::ostream& out);
void write_report(const Document& document, const Style& style, std::ostream& out);
void write_csv(const Document& document, const Style& style, std::ostream& out);
/// Of the tables "events" and "memory_course"; a document without them is an empty trace.
void write_trace(const Document& document, const Style& style, std::ostream& out);

}  // namespace oracle::report
