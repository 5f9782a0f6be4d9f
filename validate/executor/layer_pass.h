#pragma once
// How is a layer's pass run, and what it made disturbed?
//                                                  tests/validate/equivalence/differences_test.cpp

#include "microbench/kernels/kernel.h"

namespace oracle {

void run_pass(Pass pass, Kernel& kernel, const Call& call);

/// Each value that a pass has made is off by up to `noise` of it from now on, by its place.
void disturb(Pass pass, const Call& call, double noise);

}  // namespace oracle
