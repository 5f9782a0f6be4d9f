#pragma once
// What does a rank copy to carry a transfer out?
//
// Values leave from a dense buffer and arrive in one: what is given is packed, what is taken is
// unpacked, and beside a halo the rest of the tensor is copied to where it has room for it. Of B
// bytes (Transfer::bytes) in a group of n:
//
//   all_reduce, all_to_all, send_receive   2·B
//   reduce_scatter, all_gather             B + B/n
//   halo_exchange                          2·B + the rank's part of the tensor (Transfer::beside)
//
// Statistics are a few values a channel, and count as none. A profile says how fast copies of B
// are, and of a tensor beside a halo, which is copied at once (Profile::staging); without, nobody
// copies. What a layer has just made is in a cache; gradients were made since the last bucket went,
// and lie in none: they are copied as the most is that was measured.
//
// Worked: 1 MB summed over 4 ranks: 2 MB; gathered from 4: 1.25 MB. A halo of 1 MB beside a tensor
// of 64, at 20 GB/s of 1 MB and 10 of 64: 6.5 ms; gradients of 1 MB: 0.2 ms
//                                                                       tests/cost/staging_test.cpp

#include <span>

#include "oracle/cluster/copy_speed.h"
#include "oracle/plan/plan.h"

namespace oracle {

Bytes staged_bytes(const Plan& plan, const Transfer& transfer);
Seconds staging_time(const Plan& plan, const Transfer& transfer, std::span<const CopySpeed> speeds);

}  // namespace oracle
