#include "oracle/memory/staging.h"

#include <algorithm>

namespace oracle {

Bytes extra_beside(const Transfer& transfer, std::int64_t members, const Moved& moved) {
  const Bytes all = transfer.bytes;
  const Bytes part = all / static_cast<double>(members);
  Bytes given = all, arriving = all;
  switch (transfer.collective) {
    case Collective::halo_exchange:
    case Collective::send_receive:
      return given + arriving + moved.to;
    case Collective::ring_pass:
    case Collective::from_host:
      return moved.to;
    case Collective::to_host:
      return {};
    case Collective::all_to_all:
    case Collective::push:
    case Collective::pull:
    case Collective::butterfly:
      break;
    case Collective::all_gather:
      given = part;
      break;
    case Collective::reduce_scatter:
      arriving = part;
      break;
    case Collective::all_reduce:
      given = Bytes{};
      break;
  }
  const Bytes gone = moved.dies ? moved.from : Bytes{};
  return std::max({transfer.collective == Collective::all_reduce ? all : given,
                   given + arriving - gone, arriving + moved.to - gone});
}

}  // namespace oracle
