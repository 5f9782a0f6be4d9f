#pragma once
// How do a plan's stages become one rank's program?
//
// Stage after stage, item after item, in the plan's order: what it reads and writes becomes slots,
// with the regions that this rank has of the plan's tensors. What is packed for whom follows from
// the layouts on both ends of a transfer; no strategy has code of its own.
//                                                            tests/validate/program/bind_test.cpp

#include "validate/program/pieces.h"
#include "validate/program/program.h"

namespace oracle {

/// The program of `rank` for micro-batches of `pieces.samples()`. Throws InputError where a layer's
/// piece cannot be run, Defect where an item of the plan reads what none wrote.
Program bind(const Pieces& pieces, int rank);

/// Fills the slots that die after each operation: those that none later reads. Of a stage,
/// operations of forward come before those of backward.
void end_lifetimes(Program& program);

/// Keeps layers from working in place where this rank's operand lives on or has another size. Of
/// gradients that are one tensor the layer makes that which it may make in place. Throws Defect
/// where one is written while the other is still to be read. After end_lifetimes().
void settle_storage(Program& program);

}  // namespace oracle
