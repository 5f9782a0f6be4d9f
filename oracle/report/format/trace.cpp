// Chrome's trace events, as Perfetto and chrome://tracing open them: a process for each pipeline
// stage, a track for each of its streams, a counter for its transient memory.
//
// "Trace Event Format", Google, 2016: M names, X is an event with a duration, C a counter; times in
// microseconds. Rounded to whole nanoseconds, as Perfetto keeps them, so that an event ends no
// later than the next begins.

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "oracle/base/error.h"
#include "oracle/report/format/format.h"

namespace oracle::report {
namespace {

using Json = nlohmann::ordered_json;

/// The cells of a table by row and key.
class Rows {
 public:
  explicit Rows(const Table& table) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) column_[table.columns[c].key] = c;
  }

  const Cell& cell(const Row& row, std::string_view key) const {
    const auto found = column_.find(key);
    ensure(found != column_.end(), "a trace lacks a column");
    return row.cells.at(found->second);
  }
  double number(const Row& row, std::string_view key) const {
    return cell(row, key).value.value_or(0);
  }
  std::int64_t whole(const Row& row, std::string_view key) const {
    return std::llround(number(row, key));
  }
  std::int64_t nanoseconds(const Row& row, std::string_view key) const {
    return std::llround(number(row, key) * 1e9);
  }

 private:
  std::map<std::string, std::size_t, std::less<>> column_;
};

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e3; }

/// Names come from files and may hold any bytes: what is no UTF-8 is replaced.
std::string in_one_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Collects the events of one document.
class Tracer {
 public:
  void add_events(const Table& table) {
    const Rows rows(table);
    for (const Row& row : table.rows) {
      const std::int64_t start = rows.nanoseconds(row, "start");
      const std::int64_t stage = rows.whole(row, "stage");
      events_.push_back({{"name", rows.cell(row, "item").text},
                         {"cat", rows.cell(row, "phase").text},
                         {"ph", "X"},
                         {"pid", process(stage)},
                         {"tid", track(stage, rows.cell(row, "stream").text)},
                         {"ts", microseconds(start)},
                         {"dur", microseconds(rows.nanoseconds(row, "end") - start)},
                         {"args", {{"micro_batch", rows.whole(row, "micro_batch")}}}});
    }
  }

  void add_counters(const Table& table) {
    const Rows rows(table);
    for (const Row& row : table.rows) {
      events_.push_back({{"name", "transient memory"},
                         {"ph", "C"},
                         {"pid", process(rows.whole(row, "stage"))},
                         {"tid", 0},
                         {"ts", microseconds(rows.nanoseconds(row, "time"))},
                         {"args", {{"bytes", rows.number(row, "transient")}}}});
    }
  }

  std::vector<Json> finish() {
    std::vector<Json> all;
    for (const std::int64_t pid : processes_) {
      all.push_back(name("process_name", pid, 0, "stage " + std::to_string(pid - 1)));
    }
    for (const auto& [key, tid] : tracks_) {
      all.push_back(name("thread_name", key.first, tid, key.second));
    }
    for (Json& event : events_) all.push_back(std::move(event));
    return all;
  }

 private:
  /// Viewers give process 0 a meaning of its own.
  std::int64_t process(std::int64_t stage) {
    processes_.insert(stage + 1);
    return stage + 1;
  }

  /// Numbered as the streams appear, the same on every stage.
  std::int64_t track(std::int64_t stage, const std::string& stream) {
    const auto number =
        streams_.try_emplace(stream, static_cast<std::int64_t>(streams_.size()) + 1).first->second;
    return tracks_.try_emplace({process(stage), stream}, number).first->second;
  }

  static Json name(const char* what, std::int64_t pid, std::int64_t tid, const std::string& text) {
    return {{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{"name", text}}}};
  }

  std::set<std::int64_t> processes_;
  std::map<std::string, std::int64_t> streams_;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> tracks_;
  std::vector<Json> events_;
};

/// Which part of the step the events are of, where that is said.
void add_extent(const Fields& fields, Json& about) {
  for (const Field& field : fields.rows) {
    if (field.key == "events_of") about["events_of"] = field.cell.text;
  }
}

}  // namespace

void write_trace(const Document& document, const Style&, std::ostream& out) {
  Tracer tracer;
  Json about{{"headline", document.headline}, {"subject", document.subject}};
  for (const Section& section : document.sections) {
    if (const auto* fields = std::get_if<Fields>(&section)) add_extent(*fields, about);
    const auto* table = std::get_if<Table>(&section);
    if (table == nullptr) continue;
    if (table->key == "events") tracer.add_events(*table);
    if (table->key == "memory_course") tracer.add_counters(*table);
  }
  out << "{\"displayTimeUnit\": \"ms\",\n\"otherData\": " << in_one_line(about)
      << ",\n\"traceEvents\": [";
  const char* separator = "\n";
  for (const Json& event : tracer.finish()) {
    out << separator << in_one_line(event);
    separator = ",\n";
  }
  out << "\n]}\n";
}

}  // namespace oracle::report
