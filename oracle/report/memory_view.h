#pragma once
// When in the step is memory needed, and where is the most?       tests/report/memory_view_test.cpp

#include <span>

#include "oracle/report/sections.h"

namespace oracle::report {

/// Where the peak lies.
Fields peak_fields(const Graph& graph, const Evaluation& evaluation);

/// The course of activations and their gradients over forward and backward of one micro-batch, as
/// columns of at most `rows` characters.
Figure memory_course(std::span<const Bytes> after_each_item, std::size_t rows = 8);

}  // namespace oracle::report
