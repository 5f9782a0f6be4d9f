#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/launch.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/request.h"
#include "oracle/cli/search_options.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "oracle/plan/exchanges/refused_exchange.h"
#include "oracle/report/per_layer_report.h"
#include "oracle/report/ranking_report.h"
#include "oracle/search/alike.h"
#include "oracle/search/exchange_search.h"
#include "oracle/search/frontier.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kMostTop = 1'000'000, kUsualTop = 10;
constexpr std::string_view kAll = "all";

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 8> kExamples = {
    "plan resnet50 --cluster abci --gpus 64",
    "plan vgg16 --cluster abci --gpus 16 --batch 512 --objective memory --top 20",
    "plan cosmoflow --cluster abci --gpus 512 --pareto",
    "plan vgg16 --cluster cloud-10gbe --gpus 64 --per-layer",
    "plan resnet50 --cluster abci --gpus 64 --axes data,tensor --samples 1281167 --epochs 90",
    "plan resnet50 --cluster cloud-10gbe --gpus 64 --tune",
    "plan resnet50 --cluster cloud-10gbe --gpus 32 --exchange-search",
    "plan resnet50 --cluster abci --gpus 8 --with \"overlap=off; exchange=ring\" --format csv"};
constexpr std::array<Option, 8> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"gpus", "N", "how many to use", true},
    {"top", "K|all", "give the best K, or all that fit (10)"},
    {"pareto", "", "show those that no other beats in both time and memory"},
    {"per-layer", "", "choose mesh axes for each convolution and dense layer"},
    {"tune", "",
     "of every strategy try buckets, exchange algorithms, overlap and schedules, and rank the "
     "best"},
    {"exchange-search", "",
     "of data parallelism try every exchange of gradients (oracle list exchanges)"},
    {"launch", "", "the lines that start the best in its framework"},
}};
constinit const std::array<OptionGroup, 8> kGroups = {{{"what", kOwn},
                                                       {"search", kSearchOptions},
                                                       {"training", kTrainingOptions},
                                                       {"", kFrameworkOptions},
                                                       {"run", kRunOptions},
                                                       {"machine", kMachineOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutputOptions}}};

/// Of each family the fastest variant is kept, which need not be one that no other beats.
void require_one_of(const Arguments& arguments, ProblemList& problems) {
  if (!arguments.has("tune") || !arguments.has("pareto")) return;
  problems.add("--tune", "ranks one variant of each strategy, and --pareto asks for all",
               "leave out one of the two");
}

/// A search for cuts layer by layer has one objective and one answer.
void check_per_layer(const Arguments& arguments, const SearchRequest& request,
                     ProblemList& problems) {
  if (!arguments.has("per-layer")) return;
  for (const std::string_view other :
       {"pareto", "top", "tune", "axes", "without", "samples", "launch"}) {
    if (!arguments.has(other)) continue;
    problems.add("--" + std::string(other), "is not for --per-layer, which gives one answer",
                 "leave one of the two out");
  }
  if (chosen_exchange(request.base.exchange).row != nullptr) {
    problems.add("--with",
                 "--per-layer knows gradients that are summed as they are, and no exchange=" +
                     request.base.exchange,
                 "leave one of the two out");
  }
  if (request.objective != Objective::time) {
    problems.add("--objective", "--per-layer looks for the shortest step only",
                 "leave --objective out");
  }
}

/// One way to shard, and every exchange.
void check_exchange_search(const Arguments& arguments, const SearchRequest& request,
                           ProblemList& problems) {
  if (!arguments.has("exchange-search")) return;
  for (const std::string_view other : {"pareto", "per-layer", "tune", "axes", "without"}) {
    if (!arguments.has(other)) continue;
    problems.add("--" + std::string(other), "is not for --exchange-search, which keeps to data",
                 "leave one of the two out");
  }
  if (request.objective != Objective::time) {
    problems.add("--objective", "--exchange-search looks for the shortest step only",
                 "leave --objective out");
  }
}

/// Which of them train otherwise.
void say_what_changes(const Ranking& ranking, report::Subject& subject) {
  std::string names;
  for (const Candidate& candidate : ranking.candidates) {
    const Strategy& strategy = candidate.strategy;
    if (!trains_otherwise(strategy)) continue;
    if (!names.empty()) names += ", ";
    names += strategy.exchange;
    if (!strategy.waits_for_all()) names += " (staleness=any)";
  }
  subject.assumptions.push_back(
      "a step is predicted, not how many are needed; otherwise than an all-reduce train " + names +
      ": oracle validate prints losses");
}

Answer per_layer_answer(report::Subject subject, const Profile& profile,
                        const SearchRequest& request, ProgressLine& line) {
  const PerLayerAnswer found = search_per_layer(subject.graph, subject.cluster, profile, request);
  line.clear();
  std::optional<Evaluation> best;
  if (found.best) {
    best = evaluate(subject.graph, subject.cluster, profile, *found.best, request.training,
                    Detail::events);
    subject.accuracy = accuracy_line(*best, subject.cluster, profile);
  }
  return {report::per_layer_report(subject, found, best ? &*best : nullptr, request.ranks,
                                   request.training),
          best ? ExitCode::answered : ExitCode::no};
}

/// Of the best, or the first that the framework has all lines for; where it has them for none of
/// the first few, the answer stays and says why.
report::Notes launch_or_reason(const Evaluation& best, const report::Subject& subject,
                               const Profile& profile, const Ranking& ranking) {
  std::optional<report::Notes> reason;
  const auto lines_of = [&](const Evaluation& evaluation) -> std::optional<report::Notes> {
    try {
      return launch_notes(evaluation, subject.cluster);
    } catch (const InputError& error) {
      if (reason) return std::nullopt;
      reason = report::Notes{.key = "launch", .title = "to start it"};
      for (const Problem& problem : error.problems()) {
        reason->lines.push_back(problem.message + "; " + problem.remedy);
      }
      return std::nullopt;
    }
  };
  if (auto lines = lines_of(best)) return *lines;
  const std::size_t tried = std::min<std::size_t>(ranking.candidates.size(), kUsualTop);
  for (std::size_t i = 0; i < tried; ++i) {
    const Evaluation next = evaluate(subject.graph, subject.cluster, profile,
                                     ranking.candidates[i].strategy, best.training);
    auto lines = next.fits() ? lines_of(next) : std::nullopt;
    if (!lines) continue;
    lines->title = "to start " + report::short_text(next.strategy) + ", the first that " +
                   best.training.framework.name + " has lines for";
    return *lines;
  }
  return *reason;
}

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  require_one_of(arguments, problems);
  const auto gpus = read_count(arguments, "gpus", kMaxRanks, problems);
  const bool ranks_all = arguments.text("top", "") == kAll;
  std::int64_t top = kMostTop;
  if (!ranks_all) top = read_count(arguments, "top", kMostTop, problems).value_or(kUsualTop);
  const BatchOption batch = read_batch(arguments, problems);
  SearchRequest request;
  request.training = read_training(arguments, problems);
  read_search_options(arguments, request, problems);
  check_per_layer(arguments, request, problems);
  check_exchange_search(arguments, request, problems);
  const auto graph = read_graph(arguments, 0, problems);
  std::optional<report::WholeRun> run;
  if (graph) run = read_run(arguments, *graph, problems);
  auto cluster = read_cluster_option(arguments, problems);
  if (cluster) require_price(request, *cluster, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  require_format(request.training, *cluster);
  request.training.run_by(read_framework(arguments, *cluster, profile));
  learn_pace(arguments, *graph, request.training, profile, *cluster);
  take_framework_options(arguments, request);
  if (arguments.has("launch")) require_launch_lines(request.training.framework);

  // Equal programs are one row, so that a few more than the rows are wanted.
  request.space.every_saving = arguments.has("pareto");
  if (!ranks_all && !arguments.has("pareto")) {
    request.keep = static_cast<std::size_t>(2 * top);
    request.within = kAlike;
  }
  report::Subject subject = subject_of(arguments, *graph, *cluster);
  request.ranks = *gpus;
  request.training.batch = batch.on(*gpus, subject);
  const bool of_exchanges = arguments.has("exchange-search");
  if (!arguments.has("per-layer") && !of_exchanges) limit_to_framework(arguments, subject, request);
  if (arguments.has("tune")) tune(cluster->device, request.training.framework, request.space);
  ProgressLine line(progress, "strategies");
  request.progress = line.callback();
  if (arguments.has("per-layer")) return per_layer_answer(subject, profile, request, line);
  Ranking ranking = of_exchanges ? search_exchanges(*graph, *cluster, profile, request)
                                 : search(*graph, *cluster, profile, request);
  line.clear();
  if (of_exchanges) say_what_changes(ranking, subject);

  report::RankingView view{request.ranks, request.training, request.objective};
  std::optional<Evaluation> best;
  ranking.candidates = merge_equal(std::move(ranking.candidates));
  if (!ranking.candidates.empty()) {
    view.recommended = recommend(ranking.candidates, request.objective);
    best = evaluate(*graph, *cluster, profile, ranking.candidates[view.recommended.index].strategy,
                    request.training, Detail::events);
  }
  if (best) subject.accuracy = accuracy_line(*best, *cluster, profile);
  view.run = run;
  if (arguments.has("pareto")) view.frontier = frontier(ranking.candidates);
  view.most_shown = static_cast<std::size_t>(top);
  report::Document document =
      report::ranking_report(subject, ranking, best ? &*best : nullptr, view);
  if (arguments.has("launch") && best && best->fits()) {
    report::add_before_assumptions(launch_or_reason(*best, subject, profile, ranking), document);
  }
  return {std::move(document), best ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kPlanCommand = {
    "plan",    kWords,  "which strategy is best, and why the others are not",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
