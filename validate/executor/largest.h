#pragma once
// How do ranks find the largest of each of their numbers, with messages alone?
//
// As a ring adds up: every rank takes a part of the numbers of all, and gives the largest of each
// to the others. Rank m of n takes the numbers [⌊mN/n⌋, ⌊(m+1)N/n⌋) and sends what an all_reduce
// does, 2(n−1)/n·N numbers, where n divides N; elsewhere less than two numbers more or less.
//
// Worked: (1, 5, 2, 0) and (4, 3, 2, −1) become (4, 5, 2, 0); each of the two sends 4 numbers
//                                                  tests/validate/executor/largest_test.cpp

#include <span>
#include <string>
#include <vector>

#include "microbench/comm/communicator.h"
#include "microbench/kernels/backend.h"

namespace oracle {

/// `ranks`: of the world, in an order that all of them have; the caller's is among them.
void keep_largest(std::vector<float>& values, std::span<const int> ranks, Backend& backend,
                  Communicator& communicator, const std::string& label);

}  // namespace oracle
