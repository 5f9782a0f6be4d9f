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
  const Bandwidth rate = transfer.payload == Payload::weight_gradient
                             ? speeds.back().rate
                             : copy_speed(speeds, transfer.bytes);
  const Bytes message = staged_bytes(plan, transfer) - transfer.beside;
  const Seconds time = message / rate;
  return transfer.beside.value > 0 ? time + transfer.beside / copy_speed(speeds, transfer.beside)
                                   : time;
}

}  // namespace oracle
