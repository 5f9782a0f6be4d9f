#include <array>
#include <string_view>

#include "oracle/cli/commands/rows.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/request.h"
#include "oracle/cli/search_options.h"
#include "oracle/report/ranking_report.h"
#include "oracle/search/frontier.h"

namespace oracle::cli {
namespace {

constexpr std::int64_t kMostTop = 1'000'000;

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 4> kExamples = {
    "plan resnet50 --cluster abci --gpus 64",
    "plan vgg16 --cluster abci --gpus 16 --batch 512 --objective memory --top 20",
    "plan cosmoflow --cluster abci --gpus 512 --pareto",
    "plan resnet50 --cluster abci --gpus 8 --with \"overlap=off; exchange=ring\" --format csv"};
constexpr std::array<Option, 4> kOwn = {{
    {"cluster", "NAME", "a cluster (see: oracle list clusters), its file, or \"here\"", true},
    {"gpus", "N", "how many to use", true},
    {"top", "K", "show the best K (10)"},
    {"pareto", "", "show those that nobody beats in both time and memory"},
}};
constinit const std::array<OptionGroup, 5> kGroups = {{{"what", kOwn},
                                                       {"search", kSearchOptions},
                                                       {"training", kTrainingOptions},
                                                       {"network", kModelOptions},
                                                       {"output", kOutputOptions}}};

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  const auto gpus = read_count(arguments, "gpus", kMaxRanks, problems);
  const auto top = read_count(arguments, "top", kMostTop, problems);
  const BatchOption batch = read_batch(arguments, problems);
  SearchRequest request;
  request.training = read_training(arguments, problems);
  read_search_options(arguments, request, problems);
  const auto graph = read_graph(arguments, 0, problems);
  const auto cluster = read_cluster_option(arguments, problems);
  if (cluster) require_price(request, *cluster, problems);
  problems.raise();

  report::Subject subject{*graph, *cluster, {}};
  request.ranks = *gpus;
  request.training.batch = batch.on(*gpus, subject);
  const Profile profile;
  ProgressLine line(progress, "strategies");
  request.progress = line.callback();
  const Ranking ranking = search(*graph, *cluster, profile, request);
  line.clear();

  std::optional<Evaluation> best;
  if (!ranking.candidates.empty()) {
    best = evaluate(*graph, *cluster, profile, ranking.candidates.front().strategy,
                    request.training, Detail::events);
  }
  report::RankingView view{request.ranks, request.training, request.objective};
  if (arguments.has("pareto")) view.frontier = frontier(ranking.candidates);
  if (top) view.most_shown = static_cast<std::size_t>(*top);
  return {report::ranking_report(subject, ranking, best ? &*best : nullptr, view),
          best ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kPlanCommand = {
    "plan",    kWords,  "which strategy is best, and why the others are not",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
