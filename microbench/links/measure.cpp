#include "microbench/links/measure.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr double kBatchSeconds = 2e-3;
constexpr int kMostCalls = 500;
constexpr StopRule kRule{5, 0.01, 0.02, 2};
constexpr std::size_t kLeastBatches = 3, kMostBatches = 50;

/// What one call of `run` stands for.
double operations_in(LinkAction action) {
  if (action == LinkAction::message) return 2;
  return action == LinkAction::stream ? kStreamMessages : 1;
}

/// The group of `groups` that this rank is a member of, or -1.
int own_group(const LinkCase& link_case, int rank) {
  for (std::size_t g = 0; g < link_case.groups.size(); ++g) {
    const std::vector<int>& group = link_case.groups[g];
    if (std::find(group.begin(), group.end(), rank) != group.end()) return static_cast<int>(g);
  }
  return -1;
}

class CaseSweep {
 public:
  CaseSweep(const LinkSession& session, const LinkCase& link_case)
      : session_(session), case_(link_case) {
    for (const std::vector<int>& group : link_case.groups) ids_.push_back(session.groups.of(group));
    own_ = own_group(link_case, session.communicator.rank());
  }

  std::vector<LinkTimes> measure(const SweepLimits& limits) {
    std::vector<LinkTimes> all;
    const std::vector<std::int64_t> sizes = sweep_sizes(limits.largest, limits.factor);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const double left = limits.seconds - elapsed_;
      LinkTimes times = measure_size(sizes[i], left / static_cast<double>(sizes.size() - i));
      const double call = times.series.median() * operations_in(case_.action);
      // Two sizes at the short end can round to the same parts.
      if (all.empty() || all.back().bytes != times.bytes) all.push_back(std::move(times));
      // The next size is checked, tried, and timed three times at least.
      if (elapsed_ + 5 * limits.factor * call > limits.seconds) break;
    }
    return all;
  }

 private:
  LinkTimes measure_size(std::int64_t bytes, double share) {
    std::unique_ptr<LinkOperationRun> operation;
    std::string wrong;
    if (own_ >= 0) {
      const auto group = static_cast<std::size_t>(own_);
      operation =
          std::make_unique<LinkOperationRun>(session_.communicator, session_.make_buffer,
                                             case_.action, case_.groups[group], ids_[group], bytes);
      wrong = operation->check();
      operation->clear();
    }
    require_right(wrong);
    LinkTimes times;
    times.bytes = whole_buffer(bytes);
    const double once = batch(operation.get(), 1);
    const int calls =
        std::clamp(static_cast<int>(std::lround(kBatchSeconds / once)), 1, kMostCalls);
    StopRule rule = kRule;
    rule.most_seconds = std::clamp(share, 0.02, rule.most_seconds);
    // A call that takes long is repeated less: the limits are in seconds of calls.
    rule.least = once > 0.1 ? 3 : rule.least;
    const double began = elapsed_;
    while (times.series.values().size() < kLeastBatches ||
           (times.series.values().size() < kMostBatches && elapsed_ - began < rule.most_seconds &&
            !times.series.done(rule))) {
      times.series.add(batch(operation.get(), calls) / calls / operations_in(case_.action));
    }
    return times;
  }

  /// The size as every rank reckons it, members or not.
  std::int64_t whole_buffer(std::int64_t bytes) const {
    const bool whole = case_.action == LinkAction::message || case_.action == LinkAction::stream ||
                       case_.action == LinkAction::all_reduce;
    const auto parts =
        whole ? std::int64_t{1} : static_cast<std::int64_t>(case_.groups.front().size());
    return std::max<std::int64_t>(1, (bytes / 4 + parts - 1) / parts) * parts * 4;
  }

  /// The slowest rank's seconds for so many calls in a row.
  double batch(LinkOperationRun* operation, int calls) {
    elapsed_ = slowest_of_all(session_, seconds_since(began_));
    const auto start = std::chrono::steady_clock::now();
    for (int call = 0; operation != nullptr && call < calls; ++call) operation->run();
    return std::max(slowest_of_all(session_, operation == nullptr ? 0 : seconds_since(start)),
                    1e-9);
  }

  void require_right(const std::string& wrong) {
    const std::vector<double> all = seconds_of_all(session_, wrong.empty() ? 0 : 1);
    const auto first = std::find(all.begin(), all.end(), 1.0);
    if (first == all.end()) return;
    throw EnvironmentError(wrong.empty()
                               ? "rank " + std::to_string(first - all.begin()) +
                                     " received wrong data in " + std::string(name_of(case_.action))
                               : wrong);
  }

  const LinkSession& session_;
  const LinkCase& case_;
  std::vector<GroupId> ids_;
  int own_ = -1;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  double elapsed_ = 0;  ///< of the case, when the last batch began; equal on all ranks
};

}  // namespace

GroupId GroupTable::of(const std::vector<int>& ranks) {
  const auto known = made_.find(ranks);
  if (known != made_.end()) return known->second;
  const GroupId id = communicator_.make_group(ranks);
  made_.emplace(ranks, id);
  return id;
}

LinkOperationRun own_operation(const LinkSession& session, const LinkCase& link_case,
                               std::int64_t bytes) {
  std::vector<GroupId> ids;
  for (const std::vector<int>& group : link_case.groups) ids.push_back(session.groups.of(group));
  const int own = own_group(link_case, session.communicator.rank());
  ensure(own >= 0, "every rank is in a group");
  const auto at = static_cast<std::size_t>(own);
  LinkOperationRun operation(session.communicator, session.make_buffer, link_case.action,
                             link_case.groups[at], ids[at], bytes);
  operation.clear();
  return operation;
}

std::vector<double> seconds_of_all(const LinkSession& session, double own) {
  const auto mine = static_cast<float>(own);
  std::vector<float> all(static_cast<std::size_t>(session.communicator.size()));
  gather_everywhere(session.communicator, session.make_buffer, session.world, &mine, sizeof mine,
                    all.data(), "times");
  return {all.begin(), all.end()};
}

double slowest_of_all(const LinkSession& session, double own) {
  const std::vector<double> all = seconds_of_all(session, own);
  return *std::max_element(all.begin(), all.end());
}

std::vector<LinkTimes> measure_case(const LinkSession& session, const LinkCase& link_case,
                                    const SweepLimits& limits) {
  return CaseSweep(session, link_case).measure(limits);
}

}  // namespace oracle
