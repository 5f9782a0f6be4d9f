#pragma once
// What does a measurement of one size only say of a link?
//
// One time fixes one of two parameters. The other one keeps the value that the cluster's
// description has: the bandwidth where the described latency exceeds the time of the bytes, else
// the latency. Such a fit has the uncertainty of a data sheet. A time that leaves nothing for the
// other parameter contradicts the description, and the fit is left out.
//
// Worked: 1 byte in 2.4 us where 25 GB/s are described: a latency of 2.4 us, and 25 GB/s
//                                                            tests/calibrate/one_size_test.cpp

#include "oracle/calibrate/link_fit.h"

namespace oracle {

/// Replaces the segments of fits that are of one size.
void describe_one_size(LinkFits& links, const Cluster& described);

}  // namespace oracle
