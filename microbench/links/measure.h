#pragma once
// How long does an operation take, on one group alone or on several at the same time?
//
// A batch is as many calls in a row as last 2 ms; its time is that of the slowest rank, over the
// calls. Before each batch every rank learns the others' times of the one before, which brings them
// together and makes them decide alike. Of a ping-pong the time is one way, of a stream that of one
// message.
//                                                      tests/ranks/links.cpp, tests/testbed

#include <chrono>
#include <cstdint>
#include <map>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/links/link_memory.h"
#include "microbench/links/operation.h"
#include "microbench/links/sweep.h"
#include "microbench/timing/series.h"

namespace oracle {

/// A size of a case.
struct LinkTimes {
  std::int64_t bytes = 0;  ///< of the whole buffer
  Series series;           ///< seconds of one operation, by batch
};

struct SweepLimits {
  std::int64_t largest = 1'000'000'000;
  int factor = 2;
  double seconds = 10;  ///< of one case, all sizes
};

/// The communicator's group of these ranks, made once. Every rank asks in the same order.
class GroupTable {
 public:
  explicit GroupTable(Communicator& communicator) : communicator_(communicator) {}
  GroupId of(const std::vector<int>& ranks);

 private:
  Communicator& communicator_;
  std::map<std::vector<int>, GroupId> made_;
};

/// What all measurements of one start share.
struct LinkSession {
  Communicator& communicator;
  GroupTable& groups;
  MakeBuffer make_buffer;
  GroupId world = 0;
};

/// Every rank of the world calls it with the same case, members or not, and gets the same times.
/// Throws EnvironmentError on every rank where one received wrong data.
std::vector<LinkTimes> measure_case(const LinkSession& session, const LinkCase& link_case,
                                    const SweepLimits& limits);

/// This rank's part of a case whose groups hold every rank, on zeros. Every rank calls it.
LinkOperationRun own_operation(const LinkSession& session, const LinkCase& link_case,
                               std::int64_t bytes);

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What each rank gives, on all of them. Seconds, to seven digits.
std::vector<double> seconds_of_all(const LinkSession& session, double own);
double slowest_of_all(const LinkSession& session, double own);

}  // namespace oracle
