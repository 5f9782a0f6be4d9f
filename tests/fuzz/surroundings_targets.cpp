#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "oracle/base/quantity_text.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"
#include "oracle/io/clusters/here.h"
#include "oracle/io/models/model_reader.h"
#include "tests/fuzz/promises.h"
#include "tests/fuzz/targets.h"

namespace oracle::fuzz {
namespace {

/// Stands between the two files of a host, and between the words of a command line.
constexpr char kHostSeparator = '\f';
constexpr char kWordSeparator = '\n';

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find(kWordSeparator));
    lines.emplace_back(line.substr(0, line.find('\0')));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return lines;
}

void check_counts(const std::string& text) {
  try {
    const std::vector<std::int64_t> counts = cli::parse_counts(text);
    ensure(!counts.empty() && counts.front() >= 1 && counts.back() <= kMaxRanks,
           "a number of ranks out of range");
  } catch (const QuantityError& error) {
    check_refusal(InputError("--gpus", error.what(), error.remedy));
  }
}

}  // namespace

void host(std::string_view text) {
  static const Graph graph = load_model("alexnet");
  static const Strategy strategy = parse_strategy("data:2");
  const std::size_t end = std::min(text.find(kHostSeparator), text.size());
  const std::string_view meminfo = text.substr(std::min(end + 1, text.size()));
  const Cluster machine = describe_host(text.substr(0, end), meminfo, 2);
  ensure(machine.device.memory > machine.device.reserved, "a machine without memory");
  check_engine(graph, machine, strategy);
}

void arguments(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return;
  std::vector<const char*> words;
  for (const std::string& line : lines) words.push_back(line.c_str());
  reads([&] {
    const cli::Command& command = cli::command_named(lines.front());
    const cli::Arguments read(command, std::span(words).subspan(1));
    cli::for_each_option(command, [&](const cli::Option& option) {
      ensure(!option.required || read.has(option.name), "a command line without what it needs");
    });
    check_counts(read.text("gpus", "1"));
  });
}

}  // namespace oracle::fuzz
