#pragma once
// What does a transfer of a tensor hold beside the tensors that are alive?
//
// What a member gives is packed into a buffer: of n equal parts but for an all_gather, which gives
// one, and an all_reduce, which works in place. What is packed and not needed again is freed. What
// arrives lands in a buffer as well, and the tensor is made of it. Of the three moments (packed,
// under way, unpacked) the highest counts; halos and messages have all at once, as what stays is
// copied meanwhile.
//
// Worked: an all_gather of 100 MB over 4 ranks to 100 MB, its source of 25 MB kept: 25 MB packed,
// 125 MB under way, 200 MB unpacked                                   tests/memory/staging_test.cpp

#include <cstdint>

#include "oracle/plan/plan.h"

namespace oracle {

/// A tensor on its way from one layout to another.
struct Moved {
  Bytes from, to;
  bool dies = false;  ///< nothing reads `from` afterwards
};

/// The most that is held at once beyond `from`.
Bytes extra_beside(const Transfer& transfer, std::int64_t members, const Moved& moved);

}  // namespace oracle
