#include "microbench/compute/session.h"

#include <algorithm>
#include <map>
#include <utility>

#include "microbench/compute/shuffled.h"
#include "microbench/timing/context.h"
#include "oracle/base/error.h"

namespace oracle {
namespace {

/// Cases that the first round times however little time there is: the first and one more.
constexpr std::size_t kTimedAnyway = 2;

class Session {
 public:
  Session(Backend& backend, std::span<const LayerCase> cases, const SessionPlan& plan,
          const std::function<void(double, const std::string&)>& progress)
      : backend_(backend),
        cases_(cases),
        plan_(plan),
        progress_(progress),
        begin_(now(Clock::wall)),
        stolen_(stolen_seconds()),
        guard_(plan.probe),
        samples_(cases.size()),
        failed_(cases.size()) {}

  SessionResult run() {
    std::mt19937_64 random(plan_.seed);
    for (int round = 0; round < plan_.rounds; ++round) {
      std::vector<std::size_t> order = shuffled(cases_.size(), random);
      std::iter_swap(order.begin(), std::find(order.begin(), order.end(), std::size_t{0}));
      for (std::size_t i = 0; i < order.size(); ++i) {
        const std::size_t at = order[i];
        if (elapsed() > plan_.seconds && (round > 0 || i >= kTimedAnyway)) break;
        if (plan_.aside) plan_.aside(elapsed() / plan_.seconds);
        if (progress_) progress_(elapsed() / plan_.seconds, to_text(cases_[at]));
        time_case(at);
      }
    }
    return result();
  }

 private:
  double elapsed() const { return now(Clock::wall) - begin_; }

  void time_case(std::size_t at) {
    if (!failed_[at].empty()) return;
    try {
      const std::vector<BenchPass> passes = passes_of(layer_of(cases_[at]));
      CaseBench bench(backend_, cases_[at], plan_.rotation);
      samples_[at].resize(passes.size());
      for (std::size_t p = 0; p < passes.size(); ++p) {
        PassSamples& sample = samples_[at][p];
        sample.layer = to_text(cases_[at]);
        sample.type = backend_.precision();
        sample.pass = passes[p];
        time_pass(bench, sample);
      }
    } catch (const InputError& error) {
      failed_[at] = error.what();
    } catch (const EnvironmentError& error) {
      failed_[at] = error.what();
    }
  }

  /// Stops by this round's values alone, and keeps those of all rounds.
  void time_pass(CaseBench& bench, PassSamples& sample) {
    Series series;
    bench.time(sample.pass, plan_.clock, plan_.rule, guard_, series);
    sample.precise = sample.precise && series.error() <= plan_.rule.error;
    sample.series.add(series);
  }

  SessionResult result() {
    SessionResult out;
    for (std::size_t at = 0; at < cases_.size(); ++at) {
      if (!failed_[at].empty()) {
        out.failures.push_back({to_text(cases_[at]), failed_[at]});
        continue;
      }
      if (samples_[at].empty()) ++out.untimed;
      for (PassSamples& sample : samples_[at]) {
        if (sample.series.values().empty()) continue;
        if (plan_.clock == Clock::processor) {
          sample.series = sample.series.at_speed(guard_.typical());
        }
        out.passes.push_back(std::move(sample));
      }
    }
    out.speed = guard_.typical();
    out.slowest = guard_.lowest();
    out.slow_probes = guard_.slow_probes();
    out.seconds = elapsed();
    out.stolen = (stolen_seconds() - stolen_) / std::max(out.seconds, 1e-3);
    return out;
  }

  Backend& backend_;
  std::span<const LayerCase> cases_;
  const SessionPlan& plan_;
  const std::function<void(double, const std::string&)>& progress_;
  double begin_, stolen_;
  SpeedGuard guard_;
  std::vector<std::vector<PassSamples>> samples_;
  std::vector<std::string> failed_;
};

}  // namespace

SessionResult measure(Backend& backend, std::span<const LayerCase> cases, const SessionPlan& plan,
                      const std::function<void(double, const std::string&)>& progress) {
  return Session(backend, cases, plan, progress).run();
}

}  // namespace oracle
