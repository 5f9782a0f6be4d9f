#pragma once
// What do the rows of nccl-tests amount to, in whichever form they were written?
//
// A row has the bytes of the larger buffer (what all_gather returns, what reduce_scatter takes),
// and a time out of place and in place. Which collective it was, newer versions say ("Collective
// test starting: all_reduce_perf") and older ones do not; the command line or the file's name may.
// Otherwise the ratio of the two bandwidths tells, of n > 2 ranks:
//
//   busbw/algbw = 2(n-1)/n   all_reduce          nccl-tests, doc/PERFORMANCE.md
//               =  (n-1)/n   reduce_scatter where the row names a sum; all_gather and alltoall
//                            cannot be told apart
//
// The same ratio checks the number of ranks, or tells it where nothing says it. A side whose ratio
// is not that of its ranks is refused: it was measured among others.
//
// Worked: 8 ranks, 117.42 and 220.16 GB/s: 1.875 = 2·7/8, an all_reduce
//                                                  tests/io/measurements/nccl_text_test.cpp

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/io/measurements/measurements.h"

namespace oracle {

/// Out of place or in place.
struct NcclSide {
  std::optional<double> microseconds, algorithm_bandwidth, bus_bandwidth;
  double wrong = 0;  ///< elements; not checked is none
};

struct NcclRow {
  double bytes = 0;
  bool reduces = false;  ///< names an operation such as "sum"
  bool rooted = false;   ///< names a root
  std::vector<NcclSide> sides;
};

struct NcclRun {
  std::string operation;  ///< text in which the program's name was found
  std::map<std::string, std::int64_t> ranks_by_host;
  std::set<std::string> ranks;  ///< their numbers
  bool repeated = false;        ///< one number twice: several tests wrote at the same time
  std::string version;
  std::vector<NcclRow> rows;

  void take_rank(const std::string& number, const std::string& host);
};

/// The collective that a text names ("./build/all_gather_perf -b 8"); an empty text if none.
std::string_view nccl_operation_in(std::string_view text);

/// Adds the samples of a run, and refuses the rest.
void add_nccl_run(const NcclRun& run, const std::string& name, const MeasurementHints& hints,
                  Measurements& into);

}  // namespace oracle
