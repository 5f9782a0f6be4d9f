#pragma once
// How does a plan's stage become one rank's program?
//
// The stage's items are walked once, in order, by the rules by which they were written
// (oracle/plan/emit.h): each item found must be the one that the rules call for next, so a program
// that binds carries out the plan and nothing else. No strategy has code of its own: what is packed
// for whom follows from the layouts on both ends of a transfer.
//                                                            tests/validate/program/bind_test.cpp

#include "validate/program/pieces.h"
#include "validate/program/program.h"

namespace oracle {

/// The program of `rank` for micro-batches of `pieces.samples()`. Throws InputError where a layer's
/// piece cannot be run, Defect where the plan is not what the rules make of it.
Program bind(const Pieces& pieces, int rank);

/// Fills the slots that die after each operation: those that none later reads. Operations of
/// forward come before those of backward.
void end_lifetimes(Program& program);

/// Lets layers that can work in place do so where the operand that they would overwrite dies:
/// forward its first input, backward the gradient of its output, in whose memory the first input
/// gradient of its extents is made.
void work_in_place(Program& program);

/// Of gradients that are one tensor the layer makes that which it may make in place. Throws Defect
/// where one is written while the other is still to be read. After work_in_place().
void settle_shared(Program& program);

}  // namespace oracle
