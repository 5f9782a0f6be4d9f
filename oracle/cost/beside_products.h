#pragma once
// How long does a message of tensor parallelism go on while products are computed?
//
//   in k pieces   min(C, P·(k−1)/k)    C of the message, P of the products: the first piece comes,
//                                      or the last one goes, alone
//   whole         min(C, P)
//
// A product of a piece is taken to last its part of the whole, and neither slows the other. Between
// nodes nothing goes beside: userbuffers lie in one NVLink domain (Transformer Engine, issue 1071
// and pull request 1470).
//
// Worked: a message of 3 ms in 4 pieces beside products of 2 ms: 1.5 ms; whole: 2 ms
//                                                          tests/cost/beside_products_test.cpp

#include <span>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/plan/plan.h"

namespace oracle {

/// Of its time; `items`: prices of the stage's.
Seconds beside_products(const BesideProducts& message, std::span<const Cost> items);

/// Whether any message of the plan goes beside products: there is one, and it stays in a node.
bool hides_messages(const Plan& plan, const Cluster& cluster);

}  // namespace oracle
