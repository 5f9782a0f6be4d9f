#pragma once
// How much of memory's speed do cores take from each other at the moment?
//
// While N of them copy what no cache of theirs holds, a copy takes r times as long as by one alone:
//
//   sharing = (r - 1)/(N - 1)      0: each has all for itself; 1: they share what one alone has
//
// A virtual machine's processors are now neighbours under one last cache and one port to memory and
// now not, for seconds or for hours: on two of an AMD EPYC copies of 16 MiB at once took 1.8 times
// as long all through four minutes, and 1.0 times at another hour.
//                                             tests/microbench/compute/sharing_probe_test.cpp

#include "microbench/compute/copiers.h"

namespace oracle {

class SharingProbe {
 public:
  /// Of so many cores. One has no one to share with: its sharing is 0.
  explicit SharingProbe(int cores);

  /// In some 10 ms; between 0 and 1.
  double sharing();

 private:
  int cores_;
  Copiers copiers_;
};

/// (r - 1)/(N - 1) of seconds alone and at once by N, between 0 and 1.
double sharing_of(double alone, double at_once, int cores);

}  // namespace oracle
