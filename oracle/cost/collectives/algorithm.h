#pragma once
// How long does a collective take, by each algorithm that can carry it out?
//
// One file per algorithm and one row in table.cpp. All formulas are Hockney's α-β on the levels of
// a placed group (cluster/placement.h): n members, S bytes (as plan/plan.h defines a transfer's).
//
// Every time is at least  ⌈log2 n⌉·α_0  and  the algorithm-independent bandwidth bound of its
// collective over the group's fastest level (2(n−1)/n·S/B for all_reduce).
//                                                       tests/cost/collectives/laws_test.cpp

#include <cstdint>
#include <span>
#include <string_view>

#include "oracle/cluster/framework.h"
#include "oracle/cluster/placement.h"
#include "oracle/plan/layout/layout.h"

namespace oracle {

/// Who carries collectives out: NCCL between GPUs, MPI between CPUs.
enum class Library : std::uint8_t { nccl, mpi };

/// The libraries that run an algorithm unasked.
struct Offered {
  bool nccl = false;
  bool mpi = false;
  bool by(Library library) const { return library == Library::nccl ? nccl : mpi; }
};

inline Library library_of(const Device& device) {
  return device.device_class == DeviceClass::gpu ? Library::nccl : Library::mpi;
}

struct Algorithm {
  std::string_view name;  ///< "ring", "tree", "double_tree", "halving_doubling", "hierarchical", …
  Collective serves;
  std::string_view text;  ///< formula and source, one line, for `oracle list collectives`
  /// Requires group.size > 1 and bytes ≥ 0.
  Seconds (*time)(Bytes bytes, const Group& group);
  /// Whether the algorithm exists on the group (hierarchical needs members on two levels).
  bool (*applies)(const Group& group);
  /// By none: only where a strategy names it (exchange=hierarchical).
  Offered offered;
};

std::span<const Algorithm> all_algorithms();

/// The algorithm called `name` that serves `collective`, or nullptr.
const Algorithm* find_algorithm(Collective collective, std::string_view name);

/// Whether a strategy may ask for it: the device's library has it, or, of a framework that says
/// nothing of its switches, no library has.
bool is_offered(const Algorithm& algorithm, const Device& device, const Framework& framework);

/// Throws InputError (place "exchange", with a suggestion) unless `name` is "auto", an algorithm of
/// an all-reduce, or a way to exchange gradients (plan/exchanges/) with its parameter.
void require_exchange(std::string_view name);

/// The fastest algorithm that the library offers and that applies, as a perfect tuner would choose;
/// with a `name` other than "auto", that one where it applies, whoever offers it.
const Algorithm& choose_algorithm(Collective collective, Bytes bytes, const Group& group,
                                  Library library, std::string_view name = "auto");

}  // namespace oracle
