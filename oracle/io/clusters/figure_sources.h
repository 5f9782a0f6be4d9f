#pragma once
// Does every figure of a description say where it comes from?
//
// A file's "sources" is a list of {"kind", "text", "figures"}: the kind of evidence (base/cost.h),
// the title and year of the document (or why the figure is assumed), and the figures it stands for.
// A figure without a source, with two, or a source for a figure that is not there is a problem.
//
// Worked: figures {memory, cache}, sources for {memory} → "cache" has no source
//                                                         tests/io/clusters/cluster_reader_test.cpp

#include <string>
#include <vector>

#include "oracle/cluster/device.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Reads member "sources" of `object`, one entry for each of `figures` and in their order.
std::vector<FigureSource> read_sources(json::ObjectReader& object,
                                       const std::vector<std::string>& figures,
                                       json::Problems& problems);

}  // namespace oracle
