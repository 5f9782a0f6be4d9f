#pragma once
// How many times as long does a measured kernel take where other ranks compute on its device?
//
// A kernel is measured by one rank with a core and the memory for itself. Of n ranks that share c
// cores each stays on its core, and what it waits for comes from ranks that take turns as it does:
// a stretch of computing between two messages that takes d alone is over after max(1, n/c)·d. A
// stretch shorter than what the system lets a rank compute at a time often runs to its end:
// kernels see q of the others' turns (Turns in cluster/meeting.h), and the rest makes the message
// before the stretch come later,
//
//   turns = 1 + (n/c - 1)·q + (1 - q)·y·x     later = d·(n/c - 1)·(1 - q)
//
// for those that do not compute wait for a message, and while its bytes move, for the share y of
// what they wait, they slow whoever computes beside them: x = w/(1 - w), at most by a turn of each,
// where the exchanges of all n/c want the share `demand` of the core together (Overlap::demand) and
// those of the others w = demand·(n/c - 1)/(n/c). Where it was not measured, q = d/(d + 2 ms).
// Whoever goes on after a message finds in the core's own caches what others left there (Refill in
// cluster/meeting.h).
//
// Ranks on c cores share their memory besides, the clock that a busy processor holds, and where
// cores are threads their arithmetic. Beside m - 1 others, m = min(n, c), a kernel that moves b
// bytes and takes t alone takes (Contention in cluster/profile.h; measured with N ranks at once)
//
//   t + p·( A + s·z·M )   A + M = min( (m - 1)·t,  (m - 1)/(N - 1)·(a·t + slope·max(0, b - own)) )
//   p = u + (1 - u)·q     u = C·n/c / (C·n/c + W)
//
// for C of computing and W of waiting in a phase (forward or backward): another computes by chance,
// or because both waited for the same message. A, what the slowdown a takes, is lost beside
// whatever the others compute. M, the waiting for memory, is lost beside the same kernel: `own`
// stays in a core's caches, and s is how much of what they compute is the same: all of an update,
// which ranks begin together. Of another pass it is what coincides of two that are apart by δ,
//
//   s = max( 1 - δ/t, h )   h = ΣM / Σt of a phase
//
// for a kernel shorter than that meets whatever the others compute, of which h waits for memory as
// well. Ranks come apart as they compute: δ is how late they would meet (Lateness) in the middle of
// the stretch, counted from where they met last. On two cores that share all memory batch norms of
// 0.05 to 0.2 ms take 1.1 times as long in a step by data as serially, a rectifier of 8 ms 1.6
// times; both 1.4 to 2 times beside the very same. Ranks of a pipeline compute other layers: h.
// Where ranks take turns, or nobody measured how they meet, s is two thirds: what coincides on the
// average of two that are each late by anything up to a kernel's length.
//
// z is how much of memory's speed cores share in the mean, and from one time to another there is
// more or less of M by z's deviation. A processor that others use as well is not the same from
// minute to minute besides: what either is off by then it is for all kernels of a step alike
// (Cost::common).
//
// Ranks with a core each do not end a stretch at the same time: the message after it is waited for
// longer than by itself (Lateness).
//
// For ranks of a pipeline, which wait for each other as well, both are the most that can be. A
// GPU's kernels are measured on the very share of it that a rank has. The roofline needs no factor,
// for it divides the device itself (roofline.h).
//
// Worked: of 4 ranks on 2 cores a stretch of 2 ms takes 1.5 turns, and 1 ms more is waited before
// it; 1.625 where half of that wait bytes move, of which both ranks' want two thirds of the core;
// where they wait as long as they compute, u = 2/3 and p = 5/6. A kernel of 2 ms that moves 81 MB,
// 1 MB of them its own, at 0.01 ns a byte: 2.53 ms beside one other, 5.07 with two turns; as an
// update 2.8 and 5.6; at a slowdown of 0.1 besides 2.73 ms. Where half is shared, a quarter more or
// less at one time or another, that update takes 2.4 ms ± 14 %. Ranks that meet 20 us late, and 10
// us for each ms, are 40 us apart in a stretch of 2 ms that begins 1 ms after they met: of a kernel
// of 50 us a fifth coincides, of one of 2 ms 0.98
//                                                              tests/cost/compute/crowding_test.cpp

#include <cstdint>
#include <limits>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "oracle/graph/layer.h"

namespace oracle {

struct Crowd {
  std::int64_t ranks = 1;  ///< that compute on the device, n
  std::int64_t cores = 1;  ///< c
  Contention contention;
  std::vector<Turns> turns{};
  double exchange = 0;  ///< how much longer one computes beside the messages of the others, x
  Lateness lateness{};
  Refill refill{};
};

/// How far ranks are apart that compute the same; where nobody knows, each is late by anything up
/// to a kernel's length.
struct Apart {
  Seconds by{std::numeric_limits<double>::infinity()};  ///< δ
  /// That another moves as much at any moment, whatever it computes, h.
  double chance = 2.0 / 3;

  /// Share of a kernel's time that coincides with the others', s.
  double at_once(Seconds kernel) const;
};

/// How the ranks of a crowd meet in a stretch of computing.
struct Company {
  double turns = 1;  ///< that a kernel sees
  double alone = 0;  ///< share of the time that a rank computes in which no other on its core does
  double later = 0;  ///< how much later the message before comes, in units of the stretch alone
  double meets = 0;  ///< share of the time that a rank computes in which another does too, p
  Apart apart{};
};

/// `ranks`: of the plan; what they do not fill of the cluster computes nothing.
Crowd crowd_of(std::int64_t ranks, const Cluster& cluster, const Profile& profile);

/// n/c, or 1 where each has a core.
double most_turns(const Crowd& crowd);

/// How much later the message after a stretch comes than by itself.
Seconds late_after(const Crowd& crowd, Seconds stretch);

/// How much longer than alone the first kernel after a message takes, which moves so much.
Seconds refilled(const Crowd& crowd, Bytes traffic);

/// How far apart ranks are on the average of a stretch that begins so long after they met.
Apart apart_in(const Crowd& crowd, Seconds since, Seconds stretch, double chance);

/// What a kernel waits for memory beside the same, if all of it is shared: M.
Seconds waits_for_memory(Cost alone, Bytes traffic, const Crowd& crowd);

/// Of ranks that do nothing but compute.
Company closest_company(const Crowd& crowd);

/// What ranks of a phase do, as shares.
struct Shares {
  double computing = 1;  ///< of the time, u
  double moving = 0;     ///< of what they wait for messages, y: the rest is latency
  double memory = 0;     ///< of computing: what would be waited for memory beside the same, h
};

/// Of a rank that, alone, would compute and wait so long, and `moving` of that for bytes.
Shares shares_of(const Crowd& crowd, Seconds computing, Seconds waiting, Seconds moving);

/// Of a stretch of such a phase after which so many ranks meet.
Company company(const Crowd& crowd, const Shares& shares, Seconds stretch, std::int64_t group);

/// What a kernel that was measured as `alone` and moves so much costs there.
Cost crowded(Cost alone, Pass pass, Bytes traffic, const Crowd& crowd, const Company& company);

}  // namespace oracle
