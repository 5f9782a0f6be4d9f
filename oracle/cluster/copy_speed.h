#pragma once
// How fast does a rank copy between its tensors and its messages?
//
// What has just been made is still in a cache when it is packed, and what does not fit there is
// not: the rate is a matter of how much is copied at a time. What arrives is unpacked to where
// nothing has been for long, which is slower. Between two sizes measured a rate lies on a line in
// the logarithms; beyond them it is the nearest one's.
//
// Worked: packed at 20 GB/s of 1 MB and 10 GB/s of 64 MB: at 14.1 GB/s of 8 MB
//                                                                 tests/cluster/copy_speed_test.cpp

#include <span>

#include "oracle/base/units.h"

namespace oracle {

/// As measured while all ranks of a device copy.
struct CopySpeed {
  Bytes bytes;       ///< at a time
  Bandwidth pack;    ///< from a tensor to a message
  Bandwidth unpack;  ///< from a message to a tensor
  bool operator==(const CopySpeed&) const = default;
};

/// Of so many bytes. `measured` ascends in bytes; nothing of none.
CopySpeed copy_speed(std::span<const CopySpeed> measured, Bytes bytes);

}  // namespace oracle
