#pragma once
// What do failures and checkpoints leave of the time, and how often is a checkpoint worth it?
//
// A machine fails at random, M apart in the mean. After τ of work it writes a checkpoint in C; a
// failure loses all since the last one, and R to start again, in which it may fail as well. So much
// time passes in the mean for τ of work, and goodput is what of it is work:
//
//   E(τ) = M·e^(R/M)·(e^((τ+C)/M) − 1)        goodput = τ/E(τ)
//   τ    = √(2CM)·(1 + √(C/2M)/3 + C/18M) − C  for C < 2M, else M
//                                             Daly, Future Generation Computer Systems 22(3), 2006
//
// A checkpoint of which a copy in memory is written while training goes on costs C for the copy
// alone. What is done until it holds, in B, is lost as well where the machine fails: B adds to R,
// and no checkpoint begins before the one before it holds.
//                                             Vaidya, IEEE Transactions on Computers 46(8), 1997
//
// Worked: M 6000 s, C 10 s, R 600 s → τ 340 s, goodput 85.4 %       tests/budget/goodput_test.cpp

#include "oracle/base/units.h"

namespace oracle {

struct Reliability {
  Seconds mtbf;        ///< between failures of all that trains together; infinite: it never fails
  Seconds checkpoint;  ///< for which training waits
  Seconds restart;     ///< after a failure, until training goes on
  Seconds behind{};    ///< until a checkpoint holds that is written while training goes on
};

/// The work between checkpoints that leaves the most.
Seconds daly_interval(const Reliability& machine);

/// The part of the time that is work which is not lost, with a checkpoint after each `interval`.
double goodput(const Reliability& machine, Seconds interval);

}  // namespace oracle
