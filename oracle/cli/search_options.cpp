#include "oracle/cli/search_options.h"

#include <algorithm>
#include <utility>

#include "oracle/cli/launch.h"
#include "oracle/plan/strategy/default_options.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::pair<std::string_view, Objective>, 4> kObjectives = {
    {{"time", Objective::time},
     {"throughput", Objective::throughput},
     {"memory", Objective::memory},
     {"cost", Objective::cost}}};

/// What --axes says for all there are, whatever a framework runs.
constexpr std::string_view kAll = "all";

std::vector<Cut> read_axes(const Arguments& arguments, const char* option, ProblemList& problems) {
  std::vector<Cut> cuts;
  std::string_view list = *arguments.find(option);
  while (!list.empty()) {
    const std::string_view name = list.substr(0, list.find(','));
    list.remove_prefix(std::min(name.size() + 1, list.size()));
    const std::string place = "--" + std::string(option);
    try {
      const Cut cut = axis_named(name);
      if (cut == Cut::none) {
        problems.add(place, "\"whole\" shards nothing", "leave it out");
      } else if (std::find(cuts.begin(), cuts.end(), cut) == cuts.end()) {
        cuts.push_back(cut);
      }
    } catch (const InputError& error) {
      const Problem& problem = error.problems().front();
      problems.add(place, problem.message, problem.remedy);
    }
  }
  return cuts;
}

/// The axes to search: those of --axes, or the usual ones but those of --without.
void read_space(const Arguments& arguments, SpaceOptions& space, ProblemList& problems) {
  if (arguments.has("axes") && arguments.has("without")) {
    problems.add("--without", "contradicts --axes, which names all there are",
                 "give one of the two");
  } else if (arguments.text("axes", kAll) != kAll) {
    space.cuts = read_axes(arguments, "axes", problems);
  } else if (arguments.has("without")) {
    for (const Cut cut : read_axes(arguments, "without", problems)) std::erase(space.cuts, cut);
  }
  if (space.cuts.empty()) {
    problems.add(arguments.has("axes") ? "--axes" : "--without", "leaves no mesh axis",
                 "name one: data");
  }
}

}  // namespace

constinit const std::array<Option, 4> kSearchOptions = {{
    {"objective", "time|throughput|memory|cost",
     "what the best is best at (time); cost: dollars per step, where the device has a price"},
    {"axes", "AXIS,…",
     "use these mesh axes alone: data,tensor (see: oracle list strategies), or all; else those "
     "that the framework runs"},
    {"without", "AXIS,…", "never use these: spatial"},
    {"with", "OPTIONS",
     "of every strategy: \"overlap=off; bucket=50 MiB\"; a text tries micro_batches, chunks, zero "
     "and recompute unless they are given, and tensor_overlap=on where the framework has it"},
}};

void read_search_options(const Arguments& arguments, SearchRequest& request,
                         ProblemList& problems) {
  request.objective = read_choice(arguments, "objective", kObjectives, problems);
  read_space(arguments, request.space, problems);
  if (const std::string* options = arguments.find("with")) {
    const auto base = read_strategy("with", "serial; " + *options, problems);
    if (base && !base->rules.empty()) {
      problems.add("--with", "names a layer range, and the search chooses the mesh axes",
                   "give options alone: \"overlap=off; exchange=ring\"");
    } else if (base) {
      request.base = *base;
      request.space.fixed = named_options(*options);
    }
  }
}

void take_framework_options(const Arguments& arguments, SearchRequest& request) {
  const std::string* asked = arguments.find("with");
  request.base = parse_strategy(with_default_options(
      "serial" + (asked == nullptr ? "" : "; " + *asked), request.training.framework.options));
  const Framework& framework = request.training.framework;
  // It takes no time: a framework that has a switch for it turns it on.
  if (!framework.switches.empty() && has_switch(framework, "tensor_overlap") &&
      !request.space.is_fixed("tensor_overlap")) {
    request.base.tensor_overlap = true;
  }
  for (const char* option : {"micro_batches", "zero", "recompute", "chunks"}) {
    if (!has_switch(framework, option)) request.space.fixed.emplace_back(option);
  }
}

void limit_to_framework(const Arguments& arguments, report::Subject& subject,
                        SearchRequest& request) {
  const Framework& framework = request.training.framework;
  const bool text = finds_parts(subject.graph, Cut::context);
  std::vector<std::string> names = text ? framework.text_axes : framework.image_axes;
  if (names.empty() || arguments.has("axes")) return;
  const bool launches = arguments.has("launch");
  if (launches) names = launched_axes(framework, std::move(names));
  std::vector<Cut>& cuts = request.space.cuts;
  const std::vector<Cut> before = cuts;
  std::erase_if(cuts, [&](Cut cut) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return axis_named(name) == cut; });
  });
  if (cuts.empty()) {
    throw InputError("--without", "leaves no mesh axis that " + framework.name + " runs",
                     "leave it out, or give --axes");
  }
  if (cuts == before) return;
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  subject.assumptions.push_back("mesh axes tried: " + list + ", which " + framework.name +
                                (launches ? " has lines for" : " runs") +
                                "; --axes all tries every one");
}

void require_price(const SearchRequest& request, const Cluster& cluster, ProblemList& problems) {
  if (request.objective != Objective::cost || cluster.device.price_per_hour > 0) return;
  problems.add("--objective", "no price is known for an hour of " + cluster.device.name + " costs",
               "say it: --price 2.5USD/h, or as \"price\" in the cluster's file");
}

}  // namespace oracle::cli
