#include <cmath>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <variant>

#include "oracle/report/format/format.h"
#include "oracle/report/format/whole.h"

namespace oracle::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  if (!std::isfinite(value)) return nullptr;
  if (is_whole(value)) {
    return static_cast<std::int64_t>(value);
  }
  return value;
}

Json to_json(const Cell& cell) {
  if (cell.empty()) return nullptr;
  if (!cell.value) return cell.name.empty() ? cell.text : cell.name;
  if (cell.unit.empty()) return number(*cell.value);
  Json json{{"value", number(*cell.value)}, {"unit", cell.unit}};
  if (cell.source) {
    json["source"] = std::string(name_of(*cell.source));
    json["uncertainty"] = number(cell.uncertainty);
  }
  return json;
}

Json to_json(const Table& table) {
  Json rows = Json::array();
  for (const Row& row : table.data_rows()) {
    Json object = Json::object();
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (table.columns[c].audience == Audience::people) continue;
      object[table.columns[c].key] = to_json(row.cells[c]);
    }
    rows.push_back(std::move(object));
  }
  return rows;
}

struct JsonWriter {
  Json& json;

  void operator()(const Fields& fields) const {
    Json& target = fields.key.empty() ? json : json[fields.key] = Json::object();
    for (const Field& field : fields.rows) target[field.key] = to_json(field.cell);
  }
  void operator()(const Table& table) const {
    if (!table.key.empty()) json[table.key] = to_json(table);
  }
  void operator()(const Notes& notes) const { json[notes.key] = notes.lines; }
  void operator()(const Figure&) const {}
};

}  // namespace

void write_json(const Document& document, const Style& style, std::ostream& out) {
  if (document.file.empty()) return write_report(document, style, out);
  out << document.file;
}

void write_report(const Document& document, const Style&, std::ostream& out) {
  Json json{{"schema", document.schema}, {"headline", document.headline}};
  if (!document.subject.empty()) json["subject"] = document.subject;
  for (const Section& section : document.sections) std::visit(JsonWriter{json}, section);
  // Names come from files and may hold any bytes: what is no UTF-8 is replaced.
  out << json.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace oracle::report
