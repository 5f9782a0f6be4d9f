#pragma once
// How does NCCL carry a collective out, where no one measured the links?
//
// It takes the fastest of its algorithms and protocols. A protocol has a start of its own, its own
// latency of a step and a part of the bandwidth:
//
//                 start ring, tree   bandwidth ring, tree              steps
//   LL            6.6, 6.8 us        1/2, 1/3.8                        8 bytes with a flag in each
//   LL128         14, 14 us          0.92, 0.78 (0.94 across nodes)    128 bytes; only over NVLink
//   Simple        8.4, 8.4 us        1, 0.92                           chunks, ended by a fence
//
//   ring   t = start + Σ_l hops(l)·α_l + S's time on a ring            all hops of all steps
//   tree   t = start + 2((g-1)·α_0 + Σ_{l>0} ⌈log2 u(l)⌉·α_l) + S's time on a double tree
//
// α_l: the described latency, a Simple ring's, times what the protocol's is of that by kind of
// link. hops(l): steps that cross level l and none above, U(l) - U(l+1) of a pass over U(0) = n
// members in U(l) units of level l. A Simple ring across nodes waits 1.4 times as long. Bandwidth:
// what a library reaches of the described one by kind of link,
//
//   nvlink 0.77   infiniband, slingshot 0.96   staged 0.4   sockets 0.9   pcie, unknown 1
//
// NCCL 2.18 source, graph/tuning.cc and topo.h (12 GB/s of a card of 100 Gbit/s: 0.96), for all but
// NVLink's 0.77, fitted on nccl-tests of 512 MiB and more within a node of 8 A100
// (github.com/fwyc0573/Echo), and the parts of staged links (what passes the host's memory crosses
// PCIe twice) and sockets (headers of Ethernet, IP and TCP), which are assumed. Where the kind of a
// link is not known, collectives are priced by their α-β formulas alone (algorithm.h).
//
// Worked: 256 MiB over 8 GPUs of NVLink 3 (300 GB/s): 2.09 ms, of a Simple ring
//                                                          tests/cost/collectives/nccl_test.cpp

#include <array>
#include <string_view>

#include "oracle/cost/collectives/algorithm.h"

namespace oracle {

/// What of a link's described bandwidth a library reaches.
double reached(Fabric fabric);

/// The group with what a library reaches of each level's bandwidth.
Group reached(Group group);

/// The prices of one group's collectives.
class NcclPrices {
 public:
  struct Choice {
    const Algorithm* algorithm = nullptr;
    Seconds time;
  };

  /// Requires group.size > 1.
  explicit NcclPrices(const Group& group);

  /// With a `name` other than "auto", of that algorithm where it applies.
  Choice choose(Collective collective, Bytes bytes, std::string_view name = "auto") const;

 private:
  /// One algorithm by one protocol: t = start + bytes·per_byte.
  struct Line {
    const Algorithm* algorithm;
    Seconds start;
    double per_byte;
  };

  void add(const Algorithm& algorithm, const Group& group, Seconds start);
  void list_by_collective();

  struct Lines {
    std::size_t first = 0, end = 0;
  };

  std::array<Line, 24> lines_{};
  std::size_t count_ = 0;
  std::array<Lines, kCollectiveCount> lines_of_{};  ///< by collective
};

}  // namespace oracle
