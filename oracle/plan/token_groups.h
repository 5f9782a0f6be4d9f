#pragma once
// To how many groups of experts does a token go that is sent to each of them once?
//
// Of G groups of e experts, with k of all G·e experts chosen for a token, uniformly and without
// repetition, one group is missed with C(Ge−e, k)/C(Ge, k), so that a token goes to
//
//   G·(1 − C(Ge−e, k)/C(Ge, k))   groups on average; with a limit to no more than that
//
// DeepSeek-V3, arXiv 2412.19437, section 3.2.2: over the slow network a token goes once to each
// node, at most 4, and inside to each of its experts.
//
// Worked: 8 of 256 experts on 8 nodes: 5.29 copies in place of 8   tests/plan/token_groups_test.cpp

#include <array>
#include <cstdint>
#include <span>

#include "oracle/graph/graph.h"
#include "oracle/plan/layout/layout.h"

namespace oracle {

double groups_of_token(std::int64_t groups, std::int64_t experts_of_group, std::int64_t per_token);

/// A change of rows' layout of which some hops carry a token once for each group.
struct RowHop {
  AxisSet axes = 0;
  double share = 1;  ///< of the rows
};

/// The hops of an all-to-all of `rows`, a layer's output, along `axes`: to experts along the
/// outermost of these first, each token once for each group there (`most` at most, 0: any), then
/// inside; back the other way round. One hop with all rows of what is not on its way to experts or
/// back.
std::array<RowHop, 2> row_hops(const Graph& graph, LayerId rows, const Layout& from, AxisSet axes,
                               std::span<const std::int64_t> degrees, std::int64_t most);

}  // namespace oracle
