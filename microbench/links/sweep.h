#pragma once
// Which groups of ranks do what, one alone and several at the same time?
//
// Groups as the axes of a mesh make them: of neighbouring ranks within a host (sizes that divide
// its ranks), of ranks one in each host across them, and all ranks. Where several like groups cross
// the same link, they are measured one at a time, and all at once. Those of different hosts share
// no link and are busy at the same time, as they are in training: what they take of one another is
// the fabric's, or of a machine that several hosts share. Pairs exchange messages.
//
// Worked: 4 ranks on 2 hosts: pairs and groups {0,1} within a host; {0,2} across the network, alone
// and beside {1,3}; {0,1,2,3}, two of them in each host. On 4 hosts: {0,1} while {2,3}, {0,1,2,3}
//                                                      tests/microbench/links/sweep_test.cpp

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/links/tiers.h"

namespace oracle {

enum class LinkAction : std::uint8_t {
  message,
  stream,
  all_reduce,
  reduce_scatter,
  all_gather,
  all_to_all
};
/// As the samples spell it: "all_reduce"
std::string_view name_of(LinkAction action);

/// One thing to measure, at all sizes.
struct LinkCase {
  std::string tier;
  LinkAction action = LinkAction::message;
  std::vector<std::vector<int>> groups;  ///< all at the same time; of equal size
  int per_unit = 1;                      ///< members of one group on one host, where it spans hosts
  int flows = 1;                         ///< groups that share a link
};

std::vector<LinkCase> link_cases(std::span<const LinkPlace> places);

/// From 4 bytes to `largest`, each `factor` times the one before.
std::vector<std::int64_t> sweep_sizes(std::int64_t largest, int factor);

}  // namespace oracle
