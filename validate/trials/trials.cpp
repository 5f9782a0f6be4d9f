#include "validate/trials/trials.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>

#include "oracle/cli/hand_over.h"
#include "validate/command/ranks.h"
#include "validate/record/measurement.h"
#include "validate/trials/children.h"

namespace oracle {
namespace {

using Clock = std::chrono::steady_clock;

Seconds since(Clock::time_point begin) {
  return Seconds{std::chrono::duration<double>(Clock::now() - begin).count()};
}

/// The folders and files of a search.
class Desk {
 public:
  std::filesystem::path result(std::int64_t trial) const { return of(trial, ".json"); }
  std::filesystem::path checkpoints(std::int64_t trial) const { return of(trial, ""); }

 private:
  std::filesystem::path of(std::int64_t trial, const char* ending) const {
    return folder_.path() / ("trial-" + std::to_string(trial) + ending);
  }
  TemporaryFolder folder_;
};

std::vector<std::string> words_of(const TrialsRequest& request, const Desk& desk, double rate,
                                  std::int64_t trial, std::int64_t steps, bool goes_on) {
  std::vector<std::string> words = {(cli::program_folder() / "oracle-train").string()};
  words.insert(words.end(), request.words.begin(), request.words.end());
  const auto add = [&](const std::string& option, const std::string& value) {
    words.push_back("--" + option + "=" + value);
  };
  add("rate", std::to_string(rate));
  add("steps", std::to_string(steps));
  add("warmup", "0");
  add("out", desk.result(trial).string());
  add("checkpoint", desk.checkpoints(trial).string());
  if (goes_on) add("resume", desk.checkpoints(trial).string());
  return words;
}

/// What a run takes that trains one step, without that.
Seconds measured_start(const TrialsRequest& request, const Desk& desk) {
  constexpr std::int64_t kNoTrial = -1;
  Children children;
  const auto begin = Clock::now();
  children.start(0, words_of(request, desk, request.least_rate, kNoTrial, 1, false));
  children.wait();
  const Seconds taken = since(begin);
  const Measurement run = read_measurement(desk.result(kNoTrial));
  return std::max(taken - Seconds{run.step_seconds.front()}, Seconds{});
}

}  // namespace

double loss_of(const std::vector<double>& losses) {
  constexpr std::size_t kLastPart = 4;
  const std::size_t count = std::max<std::size_t>(1, losses.size() / kLastPart);
  double sum = 0;
  for (std::size_t i = losses.size() - std::min(count, losses.size()); i < losses.size(); ++i) {
    sum += losses[i];
  }
  const double mean = sum / static_cast<double>(count);
  return std::isfinite(mean) ? mean : std::numeric_limits<double>::infinity();
}

TrialsOutcome run_trials(const TrialsRequest& request) {
  TrialsOutcome outcome;
  const Desk desk;
  outcome.start = measured_start(request, desk);
  outcome.predicted =
      courses_of(request.search, request.places,
                 {request.step.time * static_cast<double>(request.steps), outcome.start});
  TrialQueue queue(request.search);
  Children children;
  std::map<int, std::pair<TrialRun, Clock::time_point>> running;
  int next = 0;
  const auto begin = Clock::now();
  const auto fill = [&] {
    while (static_cast<std::int64_t>(running.size()) < request.places) {
      const auto run = queue.next();
      if (!run) return;
      running[next] = {*run, Clock::now()};
      children.start(next++, words_of(request, desk, rate_of(request, run->trial), run->trial,
                                      step_at(request, run->to), run->from > 0));
    }
  };
  fill();
  while (const auto ended = children.wait()) {
    const auto [run, since_when] = running.extract(*ended).mapped();
    const double loss = loss_of(read_measurement(desk.result(run.trial)).losses);
    outcome.runs.push_back({run, loss, since(since_when)});
    queue.end(run, loss);
    fill();
  }
  outcome.makespan = since(begin);
  return outcome;
}

}  // namespace oracle
