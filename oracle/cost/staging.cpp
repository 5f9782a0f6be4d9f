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

Seconds staging_time(const Plan& plan, const Transfer& transfer,
                     std::span<const CopySpeed> speeds) {
  if (speeds.empty()) return {};
  if (transfer.payload == Payload::weight_gradient) {
    return staged_bytes(plan, transfer) / speeds.back().rate;
  }
  const Bytes message = staged_bytes(plan, transfer) - transfer.beside;
  const Seconds time = message / copy_speed(speeds, transfer.bytes);
  return transfer.beside.value > 0 ? time + transfer.beside / copy_speed(speeds, transfer.beside)
                                   : time;
}

}  // namespace oracle
