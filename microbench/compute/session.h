#pragma once
// What is measured in one session, in which order, and within which time?
//
// Every pass of every case is timed in each of several rounds, and each round takes the cases in
// another random order behind the first, so that a drift of the machine spreads over all of them
// instead of bending some. A round that meets the end of the time stops there, the first one not
// before two cases; what was timed stays. Times by the processor's clock are those at its typical
// speed of the session.
//                                                 tests/microbench/compute/session_test.cpp

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "microbench/compute/case_bench.h"
#include "microbench/compute/compression_bench.h"
#include "microbench/compute/crowd.h"

namespace oracle {

struct SessionPlan {
  int rounds = 2;
  StopRule rule;           ///< of one pass in one round
  double seconds = 60;     ///< of the session
  std::uint64_t seed = 1;  ///< of the order
  Clock clock = Clock::processor;
  Rotation rotation;
  std::function<double()> probe = SpeedGuard::arithmetic_rate;  ///< of the processor's speed
  /// Done before each case, told which part of the time is over: what is to be spread over all of
  /// it.
  std::function<void(double)> aside{};
};

/// What was timed of one pass.
struct PassSamples {
  std::string layer;  ///< the case, as text
  std::string type;   ///< the back end's precision
  BenchPass pass;
  Series series;
  bool precise = true;  ///< the median, in every round: within the error that the rule allows
};

struct CaseFailure {
  std::string layer;
  std::string error;
};

/// Reading and writing at the same time by as many threads. Seconds on the wall.
struct CopySample {
  int threads = 1;
  std::int64_t bytes = 0;  ///< copied by each thread at a time; twice as much is moved
  Series series;           ///< of one copy to a message and one from there, in the mean
  Series pack, unpack;     ///< each by itself
};

struct SessionResult {
  std::vector<PassSamples> passes;  ///< in the order of the cases
  std::vector<CaseFailure> failures;
  std::vector<CopySample> copies;
  std::vector<CompressionTimes> compressions;
  std::vector<CrowdSample> crowd;
  std::size_t untimed = 0;  ///< cases that the time did not suffice for
  double speed = 0;         ///< the processor's (SpeedGuard), in the median
  double slowest = 1;       ///< the processor's speed at its slowest, relative
  std::int64_t slow_probes = 0;
  double stolen = 0;  ///< part of the session that the hypervisor gave to others
  double seconds = 0;
};

/// `progress` is told which part of the time is over and what comes next.
SessionResult measure(Backend& backend, std::span<const LayerCase> cases, const SessionPlan& plan,
                      const std::function<void(double, const std::string&)>& progress = {});

}  // namespace oracle
