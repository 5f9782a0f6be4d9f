#include "oracle/cost/staging.h"

namespace oracle {

Bytes staged_bytes(const Plan& plan, const Transfer& transfer) {
  if (transfer.payload == Payload::statistics) return {};
  switch (transfer.collective) {
    case Collective::reduce_scatter:
    case Collective::all_gather:
      return transfer.bytes + transfer.bytes / static_cast<double>(plan.group_size(transfer.axes));
    case Collective::halo_exchange:
      return 2 * transfer.bytes + transfer.beside;
    default:
      return 2 * transfer.bytes;
  }
}

}  // namespace oracle
