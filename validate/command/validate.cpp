#include <algorithm>
#include <array>
#include <ostream>

#include "oracle/base/error.h"
#include "oracle/base/in_quotes.h"
#include "oracle/base/whole_file.h"
#include "oracle/cli/request.h"
#include "oracle/evaluate/storage_costs.h"
#include "oracle/io/calibration/profile_file.h"
#include "oracle/io/clusters/storage_reader.h"
#include "oracle/report/evaluation_report.h"
#include "validate/command/answers.h"
#include "validate/command/mps.h"
#include "validate/command/ranks.h"
#include "validate/command/view.h"
#include "validate/train/input.h"
#include "validate/train/program.h"
#include "validate/train/resume.h"

namespace oracle {
namespace {

/// Options that oracle-train has too.
constexpr std::array<std::string_view, 23> kPassedOn = {
    "strategy",        "gpus",          "cluster",    "steps",
    "warmup",          "rate",          "seed",       "watchdog",
    "batch",           "batch-per-gpu", "precision",  "optimizer",
    "input",           "classes",       "data",       "workers",
    "device",          "ranks-per-gpu", "checkpoint", "checkpoint-every",
    "checkpoint-mode", "resume",        "rate-warmup"};
constexpr std::array<std::string_view, 4> kFlags = {"check", "graph", "noise-scale",
                                                    "skip-unknown"};

constexpr std::array<std::pair<std::string_view, MpsUse>, 3> kMpsUses = {
    {{"auto", MpsUse::where_it_starts}, {"always", MpsUse::always}, {"never", MpsUse::never}}};

MpsUse read_mps(const cli::Arguments& arguments) {
  cli::ProblemList problems;
  const MpsUse use = cli::read_choice(arguments, "mps", kMpsUses, problems);
  if (arguments.has("mps") && !arguments.has("ranks-per-gpu")) {
    problems.add("--mps", "is for ranks that share a GPU", "add --ranks-per-gpu, or leave it out");
  }
  problems.raise();
  return use;
}

/// A prediction of a GPU's run is one for a GPU.
void check_described(const cli::Arguments& arguments, const TrainRequest& request) {
  const bool named = arguments.has("cluster");
  const bool gpu = named && request.cluster.device.device_class == DeviceClass::gpu;
  if (request.device.name != "gpu" || gpu) return;
  throw InputError(
      "--cluster",
      in_quotes(arguments.text("cluster", "here")) + " describes processors, and a GPU is to train",
      "name a cluster of this GPU (oracle list clusters), or a profile that oracle "
      "calibrate --backend gpu made of one");
}

/// What was measured of a whole device says nothing of a part of it.
Profile profile_for(const cli::Arguments& arguments, const TrainRequest& request) {
  if (request.sharing.ranks > 1) return {};
  return load_profile(arguments.text("cluster", "here"));
}

/// On the storage that is named, else as the profile measured it.
std::optional<Cost> checkpoint_of(const cli::Arguments& arguments, const TrainRequest& request,
                                  const Profile& profile) {
  const Bytes bytes = checkpoint_bytes(request.graph, request.training);
  const std::string* storage = arguments.find("storage");
  return storage == nullptr ? checkpoint_time(profile, bytes)
                            : checkpoint_time(load_storage(*storage), bytes);
}

/// The command that would have measured what is priced from a description here.
std::string calibration_of(const cli::Arguments& arguments, const TrainRequest& request) {
  const bool gpu = request.device.name == "gpu";
  return "no kernel was measured on this machine: oracle calibrate --quick --for " +
         arguments.word(0) + " --strategy \"" + arguments.text("strategy", "serial") +
         "\" --batch " + std::to_string(request.training.batch) + (gpu ? " --backend gpu" : "") +
         " -o here.json, then --cluster here.json";
}

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
  if (const std::string* storage = arguments.find("storage")) load_storage(*storage);
  std::vector<std::string> words = train_words(arguments);
  const MpsUse use = read_mps(arguments);
  check_described(arguments, read_request(pointers_to(words), false));
  const TemporaryFolder folder;
  const MpsDaemon mps(folder.path(), ranks_per_gpu(pointers_to(words)).value_or(1), use);
  const TrainRequest request = read_request(pointers_to(words), mps.runs());
  view.warm_up = request.warm_up;
  const Profile profile = profile_for(arguments, request);
  const Evaluation evaluation = evaluate(request.graph, request.cluster, profile, request.strategy,
                                         request.training, Detail::events);
  if (evaluation.infeasible() != nullptr) {
    const report::Subject subject{request.graph, request.cluster, {}};
    return {report::evaluation_report(subject, evaluation, {}), ExitCode::no};
  }
  require_own_folder(request);
  open_checkpoint(request, open_input(request).text);
  if (progress.err != nullptr) {
    *progress.err << "oracle: " << request.steps << " steps on " << evaluation.ranks << " ranks\n";
  }
  const std::string result = arguments.text("out", (folder.path() / "run.json").string());
  require_writable(result);
  words.insert(words.begin(), "--out=" + result);
  std::map<std::string, std::string> environment = mps.environment();
  if (progress.err != nullptr) environment[kWatched] = "1";
  train_on_ranks(static_cast<int>(evaluation.ranks), words, environment);
  Prediction prediction = prediction_of(request.graph, request.cluster, evaluation);
  if (request.checkpoints) prediction.checkpoint = checkpoint_of(arguments, request, profile);
  if (profile.kernels.empty()) {
    prediction.assumptions.insert(prediction.assumptions.begin(),
                                  calibration_of(arguments, request));
  }
  const Measurement run = read_measurement(result);
  // A run that goes on has fewer steps than were asked for.
  const auto steps = static_cast<std::int64_t>(run.step_seconds.size());
  view.warm_up = std::min(view.warm_up, steps - 1);
  return answer_of(prediction, run, view);
}

}  // namespace oracle
