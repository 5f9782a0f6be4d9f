#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "oracle/base/in_quotes.h"
#include "oracle/report/format/format.h"
#include "oracle/report/format/whole.h"

namespace oracle::report {
namespace {

/// The shortest text that reads back as the same double; whole numbers without an exponent.
std::string exact(double value) {
  if (is_whole(value)) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> buffer{};
  const auto result = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), result.ptr};
}

/// Its lines as a terminal may show them.
std::string printable_lines(std::string_view text) {
  const std::size_t end = text.find('\n');
  std::string lines = printable(text.substr(0, end));
  if (end == std::string_view::npos) return lines;
  return lines + '\n' + printable_lines(text.substr(end + 1));
}

std::string quoted(const std::string& any) {
  const std::string text = printable_lines(any);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + "\"";
}

std::string raw(const Cell& cell) {
  if (cell.value) return exact(*cell.value);
  return quoted(cell.name.empty() ? cell.text : cell.name);
}

std::string heading(const Column& column) {
  return quoted(column.unit.empty() ? column.key : column.key + " [" + column.unit + "]");
}

const Table* main_table(const Document& document) {
  for (const Section& section : document.sections) {
    const auto* table = std::get_if<Table>(&section);
    if (table && table->key == document.main) return table;
  }
  return nullptr;
}

/// RFC 4180 ends every line, the last included, with CR LF.
template <typename Text>
void write_line(std::ostream& out, const Table& table, const Text& text) {
  const char* separator = "";
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (table.columns[c].audience == Audience::people) continue;
    out << separator << text(c);
    separator = ",";
  }
  out << "\r\n";
}

}  // namespace

void write_csv(const Document& document, const Style&, std::ostream& out) {
  const Table* table = main_table(document);
  if (!table) return;
  write_line(out, *table, [&](std::size_t c) { return heading(table->columns[c]); });
  for (const Row& row : table->data_rows()) {
    write_line(out, *table, [&](std::size_t c) { return raw(row.cells[c]); });
  }
}

}  // namespace oracle::report
