#include "oracle/io/jobs/job.h"

#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "oracle/cli/accuracy_line.h"
#include "oracle/cli/commands/rows.h"
#include "oracle/cli/machine_options.h"
#include "oracle/cli/request.h"
#include "oracle/cli/step_options.h"
#include "oracle/io/frameworks/framework_reader.h"
#include "oracle/plan/strategy/default_options.h"
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

Training training_of(const Job& job) {
  Training training;
  training.precision = precision_named(job.precision);
  training.optimizer = optimizer_named(job.optimizer);
  training.batch = job.batch;
  if (!job.gradients.empty()) {
    for (const StateOption& option : all_state_options()) {
      if (option.name == "gradients") option.read(job.gradients, training.state);
    }
  }
  return training;
}

Graph network_of(const Arguments& arguments, const Job& job) {
  if (!arguments.has("model")) return model_of(job.network);
  ModelOverrides overrides;
  overrides.sequence = job.network.sequence;
  return load_model(arguments.text("model", ""), overrides);
}

/// How the same is asked of another command.
report::Notes to_go_on(const Arguments& arguments, const Job& job) {
  const std::string network = arguments.text("model", arguments.word(0));
  std::string common = network + " --cluster \"" + arguments.text("cluster", "") + "\" --batch " +
                       std::to_string(job.batch) + " --sequence " +
                       std::to_string(job.network.sequence) + " --precision " + job.precision +
                       " --optimizer " + job.optimizer + " --framework " + job.framework;
  if (!job.gradients.empty()) common += " --gradients " + job.gradients;
  return {.key = "to_go_on",
          .title = "to go on",
          .lines = {"oracle estimate " + common + " --strategy \"" + job.strategy + "\"",
                    "oracle plan " + common + " --gpus " + std::to_string(job.ranks)},
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
  const Graph graph = network_of(arguments, *job);
  Training training = training_of(*job);
  require_format(training, *cluster);
  training.run_by(load_framework(job->framework));
  report::Subject subject = subject_of(arguments, graph, *cluster);
  for (const std::string& note : job->notes) subject.assumptions.push_back("of the job: " + note);
  const Strategy strategy =
      parse_strategy(with_default_options(job->strategy, training.framework.options));
  const Evaluation evaluation =
      evaluate(graph, *cluster, profile, strategy, training, Detail::events);
  subject.accuracy = accuracy_line(evaluation, *cluster, profile);
  std::optional<Sensitivity> found;
  if (arguments.has("explain") && evaluation.fits()) {
    found = sensitivity(graph, *cluster, profile, evaluation);
    view.sensitivity = &*found;
  }
  report::Document document = report::evaluation_report(subject, evaluation, view);
  const Fits* fits = evaluation.fits();
  if (!fits && evaluation.beyond) fits = &*evaluation.beyond;
  if (fits) {
    const report::MeasuredJob measured{job->steps, job->allocated, job->reserved};
    // What the question was comes first, for programs.
    document.sections.insert(std::next(document.sections.begin()),
                             report::job_fields(measured, *fits));
  }
  report::add_before_assumptions(to_go_on(arguments, *job), document);
  return {std::move(document), evaluation.fits() ? ExitCode::answered : ExitCode::no};
}

}  // namespace

constinit const Command kJobCommand = {
    "job",     kWords,  "what a job's log or script costs, next to what the log measured",
    kExamples, kGroups, answer};

}  // namespace oracle::cli
