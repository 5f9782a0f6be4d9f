#pragma once
// How long does a message of tensor parallelism go on while products are computed?
//
//   in k pieces   min(C, P·(k−1)/k)    C of the message, P of the products: the first piece comes,
//                                      or the last one goes, alone
//   whole         min(C, P)
//
// A product of a piece is taken to last its part of the whole, and neither slows the other.
//
// Worked: a message of 3 ms in 4 pieces beside products of 2 ms: 1.5 ms; whole: 2 ms
//                                                          tests/cost/beside_products_test.cpp

#include <span>

#include "oracle/base/cost.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Of its time; `items`: prices of the stage's.
Seconds beside_products(const BesideProducts& message, std::span<const Cost> items);

}  // namespace oracle
