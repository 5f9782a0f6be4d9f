#include <array>
#include <ostream>

#include "oracle/cli/request.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/report/evaluation_report.h"
#include "validate/command/answers.h"
#include "validate/command/ranks.h"
#include "validate/command/view.h"
#include "validate/train/input.h"

namespace oracle {
namespace {

/// Options that oracle-train has too.
constexpr std::array<std::string_view, 16> kPassedOn = {
    "strategy", "gpus",          "cluster",   "steps",     "warmup", "rate",    "seed", "watchdog",
    "batch",    "batch-per-gpu", "precision", "optimizer", "input",  "classes", "data", "workers"};
constexpr std::array<std::string_view, 2> kFlags = {"check", "skip-unknown"};

std::vector<const char*> pointers_to(const std::vector<std::string>& words) {
  std::vector<const char*> pointers;
  for (const std::string& word : words) pointers.push_back(word.c_str());
  return pointers;
}

}  // namespace

std::vector<std::string> train_words(const cli::Arguments& arguments) {
  std::vector<std::string> words;
  for (const std::string_view option : kPassedOn) {
    const std::string* value = arguments.find(option);
    if (value != nullptr) words.push_back("--" + std::string(option) + "=" + *value);
  }
  for (const std::string_view flag : kFlags) {
    if (arguments.has(flag)) words.push_back("--" + std::string(flag));
  }
  words.insert(words.end(), {"--", arguments.word(0)});
  return words;
}

cli::Answer answer_validate(const cli::Arguments& arguments, const cli::Progress& progress) {
  View view = read_view(arguments);
  std::vector<std::string> words = train_words(arguments);
  const TrainRequest request = read_request(pointers_to(words));
  view.warm_up = request.warm_up;
  const Evaluation evaluation =
      evaluate(request.graph, request.cluster, load_profile(arguments.text("cluster", "here")),
               request.strategy, request.training, Detail::events);
  if (evaluation.infeasible() != nullptr) {
    const report::Subject subject{request.graph, request.cluster, {}};
    return {report::evaluation_report(subject, evaluation, {}), cli::ExitCode::no};
  }
  open_input(request);
  if (progress.err != nullptr) {
    *progress.err << "oracle: " << request.steps << " steps on " << evaluation.ranks << " ranks\n";
  }
  const TemporaryFolder folder;
  const std::string result = arguments.text("out", (folder.path() / "run.json").string());
  words.insert(words.begin(), "--out=" + result);
  train_on_ranks(static_cast<int>(evaluation.ranks), words);
  return answer_of(prediction_of(request.graph, request.cluster, evaluation),
                   read_measurement(result), view);
}

}  // namespace oracle
