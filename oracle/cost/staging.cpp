#include "oracle/cost/staging.h"

namespace oracle {

Staged staged_bytes(const Plan& plan, const Transfer& transfer) {
  if (transfer.payload == Payload::statistics || transfer.payload == Payload::compressed_gradient) {
    return {};
  }
  const Bytes whole = transfer.bytes;
  const Bytes part = whole / static_cast<double>(plan.group_size(transfer.axes));
  switch (transfer.collective) {
    case Collective::reduce_scatter:
      return {whole, part, {}};
    case Collective::all_gather:
      return {part, whole, {}};
    case Collective::push:
      return {whole, whole / static_cast<double>(transfer.servers), {}};
    case Collective::pull:
      return {whole / static_cast<double>(transfer.servers), whole, {}};
    case Collective::halo_exchange:
      return {whole, whole, transfer.beside};
    case Collective::ring_pass:
      return {};
    default:
      return {whole, whole, {}};
  }
}

Seconds staging_time(const Plan& plan, const Transfer& transfer,
                     std::span<const CopySpeed> speeds) {
  if (speeds.empty()) return {};
  const auto speed = [&](Bytes bytes) {
    return transfer.payload == Payload::weight_gradient ? speeds.back() : copy_speed(speeds, bytes);
  };
  const auto [packed, unpacked, kept] = staged_bytes(plan, transfer);
  Seconds time;
  if (packed.value > 0) time += packed / speed(packed).pack;
  if (unpacked.value > 0) time += unpacked / speed(unpacked).unpack;
  if (kept.value > 0) time += kept / speed(kept).unpack;
  return time;
}

}  // namespace oracle
