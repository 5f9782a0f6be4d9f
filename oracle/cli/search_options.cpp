#include "oracle/cli/search_options.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Objective>, 3> kObjectives = {
    {{"time", Objective::time},
     {"throughput", Objective::throughput},
     {"memory", Objective::memory}}};

}  // namespace

constinit const std::array<Option, 2> kSearchOptions = {{
    {"objective", "time|throughput|memory", "what the best is best at (time)"},
    {"with", "OPTIONS", "of every strategy: \"overlap=off; exchange=ring; bucket=50 MiB\""},
}};

void read_search_options(const Arguments& arguments, SearchRequest& request,
                         ProblemList& problems) {
  request.objective = read_choice(arguments, "objective", kObjectives, problems);
  if (const std::string* options = arguments.find("with")) {
    const auto base = read_strategy("with", "serial; " + *options, problems);
    if (base) request.base = *base;
  }
}

}  // namespace oracle::cli
