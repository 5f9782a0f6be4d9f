#include "oracle/io/jobs/megatron_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "oracle/base/in_quotes.h"
#include "oracle/base/split.h"

namespace oracle::megatron {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr double kMebibyte = 0x1p20, kMillisecond = 1e-3;
/// Longer ones are no steps.
constexpr double kLongestStep = 1e9, kMostMebibytes = 1e9;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) + 1 - first);
}

bool is_of_name(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '_';
}

/// The number that follows a label, within [0, most].
std::optional<double> number_after(std::string_view line, std::string_view label, double most) {
  const std::size_t at = line.find(label);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = trimmed(line.substr(at + label.size()));
  double number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc{} || !std::isfinite(number) || number < 0 || number > most) {
    return std::nullopt;
  }
  return number;
}

/// "  name ....... value", whatever stands before the name. The first of a name counts.
void take_argument(std::string_view line, Log& log) {
  const std::size_t dots = line.find(" ..");
  if (dots == std::string_view::npos) return;
  std::size_t begin = dots;
  while (begin > 0 && is_of_name(line[begin - 1])) --begin;
  const std::size_t value = line.find_first_not_of('.', dots + 1);
  const bool apart = begin > 0 && line[begin - 1] == ' ';
  if (begin == dots || !apart || value == std::string_view::npos || line[value] != ' ') return;
  log.arguments.emplace(line.substr(begin, dots - begin), trimmed(line.substr(value)));
}

void take_memory(std::string_view line, Log& log) {
  // Ranks that print at once share a line.
  for (std::size_t at = line.find("[Rank "); at != std::string_view::npos;) {
    const std::size_t next = line.find("[Rank ", at + 1);
    const std::string_view rank =
        line.substr(at, next == std::string_view::npos ? next : next - at);
    const auto put = [&](std::string_view label, Bytes& most) {
      const double mebibytes = number_after(rank, label, kMostMebibytes).value_or(0);
      most = std::max(most, Bytes{mebibytes * kMebibyte});
    };
    put("| max allocated:", log.allocated);
    put("| max reserved:", log.reserved);
    at = next;
  }
}

void take_step(std::string_view line, Log& log) {
  const auto time = number_after(line, "elapsed time per iteration (ms):", kLongestStep);
  if (!time || *time <= 0) return;
  const double batch = number_after(line, "global batch size:", kLongestStep).value_or(0);
  log.steps.push_back({Seconds{*time * kMillisecond}, static_cast<std::int64_t>(batch)});
}

void take_vocabulary(std::string_view line, Log& log) {
  if (line.find("> padded vocab") == std::string_view::npos) return;
  const double size = number_after(line, "(new size:", kLongestStep).value_or(0);
  log.padded_vocabulary = static_cast<std::int64_t>(size);
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t most) {
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end || number < 1 || number > most) return std::nullopt;
  return number;
}

Log parse_log(std::string_view text, std::string name) {
  Log log;
  log.name = std::move(name);
  for_each_part(text, '\n', [&](std::string_view line) {
    take_argument(line, log);
    take_memory(line, log);
    take_step(line, log);
    take_vocabulary(line, log);
  });
  return log;
}

std::string_view JobArguments::text(std::string_view name) const {
  const auto found = log_.arguments.find(name);
  if (found == log_.arguments.end() || found->second == "None") return {};
  return found->second;
}

std::int64_t JobArguments::count(std::string_view name, std::int64_t most) {
  const std::string_view written = text(name);
  if (const auto number = whole_number(written, most)) return *number;
  problem(name,
          written.empty() ? "it is not there" : in_quotes(written) + " is not a number from 1 on",
          written.empty() ? "say it in the script, or give a log from its first line on" : "");
  return 1;
}

std::int64_t JobArguments::count_or(std::string_view name, std::int64_t most,
                                    std::int64_t fallback) {
  return says(name) ? count(name, most) : fallback;
}

void JobArguments::problem(std::string_view name, std::string message, std::string remedy) {
  problems_.push_back(
      {log_.name + ": " + std::string(name), std::move(message), std::move(remedy)});
}

void JobArguments::raise() const {
  if (!problems_.empty()) throw InputError(problems_);
}

}  // namespace oracle::megatron
