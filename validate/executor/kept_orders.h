#pragma once
// May ranks exchange gradients in the order in which their back ends keep them?
//
// Turning each into the parameter's own order and back took more of a step than the exchange
// itself. Where every rank that has a parameter keeps it alike, no one needs to; processors of
// different kinds, or pieces of different sizes, may not.
//
// Worked: {"1.0 a", "1.0 a"} agree, {"1.0 a", "1.0 b"} do not, {"1.0 a", "2.0 b"} do
//                                                tests/validate/executor/kept_orders_test.cpp

#include <span>
#include <string>

#include "microbench/comm/communicator.h"

namespace oracle {

/// Whether no two of these list a parameter with another order: lines of "parameter order".
bool orders_agree(std::span<const std::string> orders);

/// The same of what all ranks say, on every rank. No plan has these messages.
bool orders_agree(Communicator& communicator, const std::string& mine);

}  // namespace oracle
