#pragma once
// Where does the time go, layer by layer, transfer by transfer, phase by phase?
//                                                               tests/report/item_tables_test.cpp

#include <string_view>

#include "oracle/report/sections.h"

namespace oracle::report {

/// What communicates, "all-reduce", as the field writes it.
Cell way_cell(std::string_view way);

/// The passes of every layer on one rank over the whole step, and the piece that a rank holds.
Table layer_table(const Graph& graph, const Evaluation& evaluation);

/// Every kind of transfer of the step: what moves, by what, over what, how long, how much in the
/// open.
Table transfer_table(const Graph& graph, const Evaluation& evaluation);

/// Compute, communication and bytes sent of each phase, on the busiest stage.
Table phase_table(const Evaluation& evaluation);

/// Transient bytes of every stage over the step, for programs.
Table memory_course_table(const Graph& graph, const Evaluation& evaluation);

/// Every event of the timeline, for programs.
Table event_table(const Graph& graph, const Evaluation& evaluation);

}  // namespace oracle::report
