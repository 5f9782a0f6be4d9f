#include "oracle/io/jobs/job.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/base/statistics.h"
#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/measured_runs.h"
#include "oracle/cli/request.h"
#include "oracle/cli/step_options.h"
#include "oracle/report/evaluation_report.h"
#include "oracle/report/job_section.h"

namespace oracle::cli {
namespace {

constexpr std::array<std::string_view, 1> kWords = {"JOB"};
constexpr std::array<std::string_view, 3> kExamples = {
    "job train.log --cluster dgx-h100", "job pretrain.sh --cluster dgx-h100 --by transfer",
    "job train.log --cluster 4x8xa100-sxm4-80gb,net=200Gb/s --explain --model llama2_7b"};
constexpr std::array<Option, 5> kOwn = {{
    {"cluster", "NAME", kClusterText, true},
    {"gpus", "N", "in place of as many as the job says"},
    {"model", "MODEL", "in place of the network that the job's arguments describe"},
    kByOption,
    kExplainOption,
}};
constinit const std::array<OptionGroup, 3> kGroups = {
    {{"what", kOwn}, {"machine", kMachineOptions}, {"output", kOutputOptions}}};

std::optional<Graph> other_network(const Arguments& arguments, const Job& job) {
  if (!arguments.has("model")) return std::nullopt;
  ModelOverrides overrides;
  overrides.sequence = job.network.sequence;
  return load_model(arguments.text("model", ""), overrides);
}

/// By how much kernels took longer than priced, where no one measured them one by one.
std::optional<double> factor_of(const Job& job, const Setting& setting, const Strategy& strategy,
                                const Training& training) {
  if (job.steps.empty() || setting.profile.has_kernels()) return std::nullopt;
  return factor_of_kernels(setting, {strategy, training, median_of(job.steps)});
}

/// How the same is asked of another command, of one that searches with what the steps say.
report::Notes to_go_on(const Arguments& arguments, const Job& job, bool says_pace) {
  const std::string network = arguments.text("model", arguments.word(0));
  std::string common = network + " --cluster \"" + arguments.text("cluster", "") + "\" --batch " +
                       std::to_string(job.batch) + " --sequence " +
                       std::to_string(job.network.sequence) + " --precision " + job.precision +
                       " --optimizer " + job.optimizer + " --framework " + job.framework;
  if (!job.gradients.empty()) common += " --gradients " + job.gradients;
  return {.key = "to_go_on",
          .title = "to go on",
          .lines = {"oracle estimate " + common + " --strategy \"" + job.strategy + "\"",
                    "oracle plan " + common + " --gpus " + std::to_string(job.ranks) +
                        (says_pace ? " --measured " + arguments.word(0) : "")},
          .to_copy = true};
}

Answer answer(const Arguments& arguments, const Progress& progress) {
  ProblemList problems;
  report::EvaluationView view{read_choice(arguments, "by", kBy, problems)};
  view.columns = progress.columns;
  const auto gpus = read_count(arguments, "gpus", kMaxRanks, problems);
  const auto job = problems.attempt("", [&] { return load_job(arguments.word(0), gpus); });
  const auto cluster = read_cluster_option(arguments, problems);
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", ""));
  const auto [graph, strategy, training] = step_of(*job, other_network(arguments, *job));
  require_format(training, *cluster);
  report::Subject subject = subject_of(arguments, graph, *cluster);
  for (const std::string& note : job->notes) subject.assumptions.push_back("of the job: " + note);
  const Evaluation evaluation =
      evaluate(graph, *cluster, profile, strategy, training, Detail::events);
  subject.accuracy = accuracy_line(evaluation, *cluster, profile);
  std::optional<Sensitivity> found;
  if (arguments.has("explain") && evaluation.fits()) {
    found = sensitivity(graph, *cluster, profile, evaluation);
    view.sensitivity = &*found;
  }
  report::Document document = report::evaluation_report(subject, evaluation, view);
  std::optional<double> factor;
  if (const Fits* fits = evaluation.timed()) {
    factor = factor_of(*job, {graph, *cluster, profile}, strategy, training);
    const report::MeasuredJob measured{job->steps, job->allocated, job->reserved, factor};
    // What the question was comes first, for programs.
    document.sections.insert(std::next(document.sections.begin()),
                             report::job_fields(measured, *fits));
  }
  report::add_before_assumptions(to_go_on(arguments, *job, factor.has_value()), document);
  return {std::move(document), evaluation.fits() ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kJobCommand = {
    "job",     kWords,  "what a job's log or script costs, next to what the log measured",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
