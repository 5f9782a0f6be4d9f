#include "oracle/io/measurements/google_benchmark.h"

#include <array>
#include <set>

#include "oracle/base/in_quotes.h"
#include "oracle/io/json/document.h"
#include "oracle/io/json/lenient.h"

namespace oracle {
namespace {

using json::member;
using json::Node;
using json::number;
using json::text;
using json::Type;

/// The text with null in the place of numbers that are none, outside of strings.
std::string with_missing_numbers(std::string_view text) {
  constexpr std::array<std::string_view, 6> kNone = {"-Infinity", "Infinity", "-NaN",
                                                     "NaN",       "-inf",     "-nan"};
  std::string out;
  out.reserve(text.size());
  bool quoted = false;
  for (std::size_t at = 0; at < text.size();) {
    if (quoted && text[at] == '\\' && at + 1 < text.size()) {
      out += text.substr(at, 2);
      at += 2;
      continue;
    }
    if (text[at] == '"') quoted = !quoted;
    std::size_t none = 0;
    for (const std::string_view word : kNone) {
      if (!quoted && none == 0 && text.substr(at, word.size()) == word) none = word.size();
    }
    if (none > 0) {
      out += "null";
      at += none;
    } else {
      out += text[at++];
    }
  }
  return out;
}

/// Seconds in one of the row's units; 0 for a unit that is not known.
double unit_of(const Node& row) {
  const std::string unit = text(row, "time_unit");
  if (unit == "ns") return 1e-9;
  if (unit == "us") return 1e-6;
  if (unit == "ms") return 1e-3;
  return unit == "s" ? 1 : 0;
}

bool failed(const Node& row) {
  const Node* error = member(row, "error_occurred", Type::boolean);
  return error != nullptr && error->boolean;
}

std::string run_name(const Node& row) {
  const std::string name = text(row, "run_name");
  return name.empty() ? text(row, "name") : name;
}

bool is_aggregate(const Node& row) { return text(row, "run_type") == "aggregate"; }

std::string why_refused(const Node& row, const std::set<std::string>& runs) {
  if (failed(row)) return "that failed";
  if (is_aggregate(row)) {
    if (text(row, "aggregate_name") != "median") return "that sum up others";
    if (runs.contains(run_name(row))) return "that sum up others";
  }
  const std::optional<double> real = number(row, "real_time");
  if (!real || !(*real > 0)) return "without a time";
  if (unit_of(row) == 0) return "in a unit of time that is not known";
  if (!believable(Seconds{*real * unit_of(row)})) return "past belief";
  return {};
}

BenchmarkTime time_of(const Node& row) {
  const double unit = unit_of(row);
  const double iterations = number(row, "iterations").value_or(1);
  BenchmarkTime time{run_name(row), Seconds{*number(row, "real_time") * unit}, {}, 1};
  if (const auto cpu = number(row, "cpu_time")) time.cpu = Seconds{*cpu * unit};
  if (iterations >= 1 && iterations < 1e15) time.iterations = static_cast<std::int64_t>(iterations);
  return time;
}

}  // namespace

bool is_google_benchmark(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{' &&
         text.find("\"benchmarks\"") != std::string_view::npos;
}

void read_google_benchmark(std::string_view all, const std::string& name, const MeasurementHints&,
                           Measurements& into) {
  const json::Document document = json::parse(with_missing_numbers(all), name);
  const Node* rows = member(document.root, "benchmarks", Type::array);
  if (rows == nullptr) {
    throw InputError(name + ":" + std::to_string(document.root.line) + ":/benchmarks",
                     "is not a list of runs", "give a whole file of --benchmark_out");
  }
  std::set<std::string> runs;
  for (const Node& row : rows->items) {
    if (!is_aggregate(row) && !failed(row)) runs.insert(run_name(row));
  }
  for (const Node& row : rows->items) {
    const std::string why = why_refused(row, runs);
    if (why.empty()) {
      into.benchmarks.push_back(time_of(row));
    } else {
      ++into.refused[why];
    }
  }
}

}  // namespace oracle
