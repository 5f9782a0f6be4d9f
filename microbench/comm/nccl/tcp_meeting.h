#pragma once
// How do ranks meet without MPI?
//
// As torchrun's do: RANK and WORLD_SIZE say who and how many, MASTER_ADDR and MASTER_PORT where
// rank 0 listens. The others connect, trying until it does, and say their rank; texts go to rank 0
// and all of them come back. Where torchrun itself holds the port (TORCHELASTIC_USE_AGENT_STORE is
// True), the next one is taken. What connects and says something else is sent away.
//                                                      tests/microbench/comm/nccl/tcp_test.cpp

#include <memory>
#include <optional>
#include <string>

#include "microbench/comm/meeting.h"
#include "microbench/modules/local_place.h"

namespace oracle {

struct TcpPlace {
  int rank = 0;
  int size = 1;
  std::string host = "127.0.0.1";
  int port = 0;
  bool operator==(const TcpPlace&) const = default;
};

/// Nothing where RANK is not set. Throws EnvironmentError where the others are missing or no
/// numbers.
std::optional<TcpPlace> tcp_place(const Environment& environment);

std::unique_ptr<Meeting> make_tcp_meeting(const TcpPlace& place);

}  // namespace oracle
