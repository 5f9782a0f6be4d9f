#include "oracle/cli/trial_options.h"

#include <string>
#include <string_view>
#include <utility>

#include "oracle/cli/request.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::pair<std::string_view, TrialScheduler>, 5> kSchedulers = {
    {{"random", TrialScheduler::random},
     {"grid", TrialScheduler::random},
     {"halving", TrialScheduler::halving},
     {"hyperband", TrialScheduler::hyperband},
     {"asha", TrialScheduler::asha}}};

constexpr std::int64_t kMostTrials = 10'000, kMostRungs = 10, kMostEta = 10;

}  // namespace

constinit const std::array<Option, 4> kTrialOptions = {{
    {"trials", "N", "settings of hyper-parameters (of hyperband: one sweep of its brackets)"},
    {"scheduler", "random|grid|halving|hyperband|asha",
     "which trials are trained to the end (random: all of them)"},
    {"rungs", "N", "how often trials are compared before they end, and at the end (4)"},
    {"eta", "N", "of so many trials of a rung one goes on, so many times as far (3)"},
}};

TrialSearch read_trials(const Arguments& arguments, ProblemList& problems) {
  TrialSearch search;
  search.scheduler = read_choice(arguments, "scheduler", kSchedulers, problems);
  search.rungs = read_count(arguments, "rungs", kMostRungs, problems).value_or(search.rungs);
  search.eta = read_count(arguments, "eta", kMostEta, problems).value_or(search.eta);
  if (search.eta < 2) problems.add("--eta", "lets all trials go on", "give 2 or more");
  for (const char* option : {"rungs", "eta"}) {
    if (search.scheduler == TrialScheduler::random && arguments.has(option)) {
      problems.add("--" + std::string(option), "has no effect: all trials are trained to the end",
                   "leave it out, or give --scheduler asha");
    }
  }
  if (const auto trials = read_count(arguments, "trials", kMostTrials, problems)) {
    search.trials = *trials;
  } else if (search.scheduler == TrialScheduler::hyperband && search.eta >= 2) {
    search.trials = trials_of_sweep(search.rungs, search.eta);
    if (search.trials > kMostTrials) {
      problems.add("--rungs", "a sweep has " + std::to_string(search.trials) + " trials",
                   "give fewer rungs, or --trials");
    }
  } else if (!arguments.has("trials")) {
    problems.add("--trials", "is missing: how many settings are tried?", "give --trials 64");
  }
  return search;
}

}  // namespace oracle::cli
