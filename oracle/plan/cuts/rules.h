#pragma once
// The ways to cut, one function each; table.cpp lists them. See cut.h for what an answer means.

#include "oracle/plan/cuts/cut.h"

namespace oracle::cuts {

CutAnswer none(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer sample(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer depth(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer height(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer width(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer context(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer ring(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer ulysses(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer filter(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer channel(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer alternate(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer alternate_sequence(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer alternate_expert(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer expert(const Layer& layer, std::int64_t degree, State incoming);
CutAnswer follow(const Layer& layer, std::int64_t degree, State incoming);

/// Cut of a layer whose output feature c reads input feature c only: channel in, channel out.
CutAnswer by_feature(const Layer& layer, std::int64_t degree);

/// Cut of a layer that needs all features of a group at once, whose features arrive in parts:
/// between its groups; of attention between heads of queries, where those of keys and values are
/// fewer and replicated; of a loss over a text's vocabulary in parts. Whole where none of it fits.
CutAnswer by_group(const Layer& layer, std::int64_t degree);

/// Cut of a table that is looked up: rows, each of which one rank adds to the sum.
CutAnswer by_row(const Layer& layer, std::int64_t degree);

/// A refusal on the layer's account.
CutAnswer refuse(Constraint constraint, const Layer& layer, std::int64_t needed,
                 std::int64_t available, std::string unit, std::string_view axis_name);

}  // namespace oracle::cuts
