#pragma once
// What does a rank copy to carry a transfer out?
//
// Values leave from a dense buffer and arrive in one: what is given is packed, what is taken is
// unpacked, and beside a halo the rest of the tensor is copied to where it has room for it. Of B
// bytes (Transfer::bytes) in a group of n:
//
//                                          packed   unpacked   kept
//   all_reduce, all_to_all, send_receive   B        B
//   reduce_scatter                         B        B/n
//   all_gather                             B/n      B
//   push (to s servers)                    B        B/s
//   pull                                   B/s      B
//   halo_exchange                          B        B          the rank's part (Transfer::beside)
//   ring_pass                              0        0          keys go from where they lie
//
// Statistics are a few values a channel, and count as none; what compresses gradients leaves them
// dense (plan.h, Compression). A profile says how fast so many bytes
// are packed and unpacked (Profile::staging); without, no one copies. What is kept goes where what
// is unpacked would go, and as fast. What a layer has just made is in a cache; gradients were made
// since the last bucket went, and lie in none: they are copied as the most is that was measured.
//
// Worked: 1 MB gathered from 4 ranks: 0.25 MB packed, 1 MB unpacked. A halo of 1 MB beside a tensor
// of 64, packed at 20 GB/s, unpacked at 20 of 1 MB and 10 of 64: 6.5 ms; gradients of 1 MB, packed
// and unpacked at 10: 0.2 ms                                          tests/cost/staging_test.cpp

#include <span>

#include "oracle/cluster/copy_speed.h"
#include "oracle/plan/plan.h"

namespace oracle {

struct Staged {
  Bytes packed, unpacked, kept;
  bool operator==(const Staged&) const = default;
};

Staged staged_bytes(const Plan& plan, const Transfer& transfer);
Seconds staging_time(const Plan& plan, const Transfer& transfer, std::span<const CopySpeed> speeds);

}  // namespace oracle
