#pragma once
// Where does each rank run, and which tier joins several of them?
//
// Ranks of one host share a machine; those of one machine with several sockets, bound to cores of
// the same one, share a socket. Other ranks meet across the network.
//
// Worked: hosts a, a, b, b and no sockets known: ranks 0 and 1 meet in the machine, 0 and 2 across
// the network                                            tests/microbench/links/tiers_test.cpp

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/links/link_memory.h"

namespace oracle {

struct LinkPlace {
  std::string host;
  int socket = -1;  ///< -1: bound to none, or the machine has only one
};

/// Where this rank runs.
LinkPlace own_place();

/// Every rank's place, in rank order, on every rank.
std::vector<LinkPlace> all_places(Communicator& communicator, const MakeBuffer& make_buffer,
                                  GroupId world, const LinkPlace& own);

/// "socket", "machine" or "network"
std::string_view tier_of(std::span<const LinkPlace> places, std::span<const int> ranks);

}  // namespace oracle
