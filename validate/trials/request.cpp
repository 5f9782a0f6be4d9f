#include "validate/trials/request.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "oracle/base/error.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/request.h"
#include "oracle/cli/trial_options.h"
#include "oracle/evaluate/evaluation.h"
#include "oracle/report/text.h"

namespace oracle {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000, kMostPlaces = 1024;

constexpr std::array<std::string_view, 1> kWords = {"MODEL"};
constexpr std::array<std::string_view, 2> kExamples = {
    "gpt_tiny --batch 4 --trials 9 --scheduler asha --steps 81 --at-a-time 2",
    "alexnet --input 3x64x64 --classes 5 --batch 8 --trials 4 --steps 20 --cluster here.json"};
constexpr std::array<cli::Option, 6> kOwn = {{
    {"cluster", "NAME", "what the prediction is made for (here)"},
    {"steps", "N", "of a training to the end (81)"},
    {"at-a-time", "N", "trials, each a process with one thread (1)"},
    {"least-rate", "R", "smallest learning rate that is tried (0.001)"},
    {"most-rate", "R", "largest one (1)"},
    {"help", "", "this text", false, 'h'},
}};
constinit const std::array<cli::OptionGroup, 4> kGroups = {{{"search", kOwn},
                                                            {"trials", cli::kTrialOptions},
                                                            {"network", cli::kModelOptions},
                                                            {"training", cli::kTrainingOptions}}};

/// Options that oracle-train has too.
constexpr std::array<std::string_view, 7> kPassedOn = {
    "batch", "batch-per-gpu", "precision", "optimizer", "input", "classes", "sequence"};

std::vector<std::string> train_words(const cli::Arguments& arguments) {
  std::vector<std::string> words;
  for (const std::string_view option : kPassedOn) {
    if (const std::string* value = arguments.find(option)) {
      words.push_back("--" + std::string(option) + "=" + *value);
    }
  }
  words.push_back(arguments.word(0));
  return words;
}

}  // namespace

const cli::Command& trials_command() {
  static constinit const cli::Command kCommand{
      "",
      kWords,
      "Trains the trials of a search of learning rates, and compares how long it took with the "
      "prediction.",
      kExamples,
      kGroups,
      nullptr,
      "oracle-trials"};
  return kCommand;
}

TrialsRequest read_trials_request(std::span<const char* const> args) {
  const cli::Arguments arguments(trials_command(), args);
  cli::ProblemList problems;
  TrialsRequest request;
  request.search = cli::read_trials(arguments, problems);
  const auto graph = cli::read_graph(arguments, 0, problems);
  Training training = cli::read_training(arguments, problems);
  const cli::BatchOption batch = cli::read_batch(arguments, problems);
  request.steps = cli::read_count(arguments, "steps", kMostSteps, problems).value_or(request.steps);
  request.places = cli::read_count(arguments, "at-a-time", kMostPlaces, problems).value_or(1);
  request.least_rate =
      cli::read_positive(arguments, "least-rate", "0.001", problems).value_or(0.001);
  request.most_rate = cli::read_positive(arguments, "most-rate", "1", problems).value_or(1);
  if (request.most_rate < request.least_rate) {
    problems.add("--most-rate", "is below --least-rate", "give a larger one");
  }
  const auto cluster = problems.attempt(
      "--cluster", [&] { return load_cluster(arguments.text("cluster", "here")); });
  problems.raise();
  const Profile profile = load_profile(arguments.text("cluster", "here"));
  report::Subject subject{*graph, *cluster, {}};
  training.batch = batch.on(1, subject);
  training.run_by(cli::read_framework(arguments, *cluster, profile));
  const Evaluation evaluation = evaluate(*graph, *cluster, profile, Strategy{}, training);
  const Fits* fits = evaluation.fits();
  if (fits == nullptr)
    throw InputError("", to_text(*evaluation.infeasible()), "give a smaller --batch");
  request.step = fits->step;
  request.words = train_words(arguments);
  request.subject = graph->name + ", batch " + report::grouped(training.batch) + ", " +
                    report::number_of(request.search.trials, "trial") + ", " +
                    std::string(name_of(request.search.scheduler)) + ", " +
                    report::number_of(request.steps, "step") + " to the end, " +
                    report::grouped(request.places) + " at a time";
  return request;
}

double rate_of(const TrialsRequest& request, std::int64_t trial) {
  double mirrored = 0;
  double digit = 0.5;
  for (std::int64_t rest = trial + 1; rest > 0; rest /= 2, digit /= 2) {
    mirrored += digit * static_cast<double>(rest % 2);
  }
  return request.least_rate * std::pow(request.most_rate / request.least_rate, mirrored);
}

std::int64_t step_at(const TrialsRequest& request, double part) {
  return std::max<std::int64_t>(1, std::llround(part * static_cast<double>(request.steps)));
}

}  // namespace oracle
