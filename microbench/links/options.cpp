#include <array>
#include <optional>

#include "microbench/links/program.h"
#include "oracle/base/quantity_text.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostRanks = 4096;
constexpr double kQuickSeconds = 40;
constexpr Bytes kQuickLargest{64e6};
constexpr Bytes kMostBytes{1.1e9};  ///< a GiB, and none that could pass 2^31 elements

constexpr std::array<std::pair<std::string_view, const char*>, 2> kDevices = {
    {{"cpu", "cpu"}, {"gpu", "gpu"}}};
constexpr std::array<std::string_view, 2> kExamples = {"--ranks 2 --quick --out links.json",
                                                       "--device gpu --ranks 8 --out links.json"};
constexpr std::array<cli::Option, 8> kOwn = {{
    {"out", "FILE", "the samples, for oracle calibrate --from", true},
    {"ranks", "N", "starts so many on this machine (those that mpirun or srun started)"},
    {"device", "NAME", "whose memory messages go through: cpu or gpu (cpu)"},
    {"largest", "SIZE", "of a message (1 GB; with --quick 64 MB)"},
    {"seconds", "S", "for everything, about (300; with --quick 40)"},
    {"quick", "", "less of it"},
    {"watchdog", "S", "after which a message that does not arrive ends the program (60)"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 1> kGroups = {{{"measuring", kOwn}}};

std::optional<int> read_ranks(const cli::Arguments& arguments, cli::ProblemList& problems) {
  const auto ranks = cli::read_count(arguments, "ranks", kMostRanks, problems);
  if (!ranks) return std::nullopt;
  if (*ranks == 1) problems.add("--ranks", "a single one has no partner", "write 2 or more");
  return static_cast<int>(*ranks);
}

std::optional<Bytes> read_largest(const cli::Arguments& arguments, cli::ProblemList& problems) {
  const std::string* text = arguments.find("largest");
  if (text == nullptr) return std::nullopt;
  const auto bytes = problems.attempt("--largest", [&] { return parse_bytes(*text); });
  if (bytes && (bytes->value < 4 || *bytes > kMostBytes)) {
    problems.add("--largest", "is not between 4 B and 1 GiB", "write one such as \"64 MB\"");
  }
  return bytes;
}

}  // namespace

const cli::Command& links_command() {
  static constinit const cli::Command kCommand{
      "",
      {},
      "Times messages and collectives between the ranks that it was started on.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-bench-links"};
  return kCommand;
}

LinksRequest read_links_request(std::span<const char* const> words) {
  const cli::Arguments arguments(links_command(), words);
  cli::ProblemList problems;
  LinksRequest request;
  request.out = arguments.text("out", "");
  request.quick = arguments.has("quick");
  if (request.quick) {
    request.seconds = kQuickSeconds;
    request.largest = kQuickLargest;
  }
  request.seconds = cli::read_seconds(arguments, "seconds", problems).value_or(request.seconds);
  request.watchdog = cli::read_seconds(arguments, "watchdog", problems).value_or(request.watchdog);
  request.largest = read_largest(arguments, problems).value_or(request.largest);
  request.ranks = read_ranks(arguments, problems);
  request.device = cli::read_choice(arguments, "device", kDevices, problems);
  problems.raise();
  return request;
}

}  // namespace oracle
