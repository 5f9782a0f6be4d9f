#pragma once
// A random machine: is every part of a cluster somewhere the slowest?
//
// One to four levels of one to eight units, with one, two or four rails and latencies that need not
// grow outwards; devices between a small CPU and a large GPU, shared by two ranks now and then; at
// times a profile with a slowdown of what overlaps, of what ranks do to each other, of how they
// meet, and a fitted level.
//                                                            tests/properties/random_cases_test.cpp

#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"
#include "tests/properties/random.h"

namespace oracle {

Cluster random_cluster(Random& random);
Profile random_profile(Random& random, const Cluster& cluster);

}  // namespace oracle
