#include "oracle/cli/search_options.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Objective>, 4> kObjectives = {
    {{"time", Objective::time},
     {"throughput", Objective::throughput},
     {"memory", Objective::memory},
     {"cost", Objective::cost}}};

}  // namespace

constinit const std::array<Option, 2> kSearchOptions = {{
    {"objective", "time|throughput|memory|cost",
     "what the best is best at (time); cost: dollars per step, where the device has a price"},
    {"with", "OPTIONS", "of every strategy: \"overlap=off; exchange=ring; bucket=50 MiB\""},
}};

void read_search_options(const Arguments& arguments, SearchRequest& request,
                         ProblemList& problems) {
  request.objective = read_choice(arguments, "objective", kObjectives, problems);
  if (const std::string* options = arguments.find("with")) {
    const auto base = read_strategy("with", "serial; " + *options, problems);
    if (base && !base->rules.empty()) {
      problems.add("--with", "names a layer range, and the search chooses the cuts",
                   "give options alone: \"overlap=off; exchange=ring\"");
    } else if (base) {
      request.base = *base;
    }
  }
}

void require_price(const SearchRequest& request, const Cluster& cluster, ProblemList& problems) {
  if (request.objective != Objective::cost || cluster.device.price_per_hour > 0) return;
  problems.add("--objective", "nobody says what an hour of " + cluster.device.name + " costs",
               "give the cluster's file a \"price\": \"3.06 USD/h\" per device");
}

}  // namespace oracle::cli
