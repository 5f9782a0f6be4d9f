#pragma once
// Does every figure of a description say where it comes from?
//
// A file's "sources" is a list of {"kind", "text", "figures"}: the kind of evidence (base/cost.h),
// the title and year of the document (or why the figure is assumed), and the figures it stands for.
// A figure without a source, with two, or a source for a figure that is not there is a problem. A
// file without "sources" assumes all of its figures.
//
// Worked: figures {memory, cache}, sources for {memory} → "cache" has no source
//                                                         tests/io/clusters/cluster_reader_test.cpp

#include <string>
#include <string_view>
#include <vector>

#include "oracle/cluster/device.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// What is assumed of a message where a file does not say: inside a node, and between nodes.
inline constexpr Seconds kAssumedLatencyInside{5.7e-6}, kAssumedLatencyBetween{31e-6};
inline constexpr std::string_view kUsualLatencyInside = "usual of messages inside a node",
                                  kUsualLatencyBetween = "usual of messages between nodes";

/// Reads member "sources" of `object`, one entry for each of `figures` and in their order.
std::vector<FigureSource> read_sources(json::ObjectReader& object,
                                       const std::vector<std::string>& figures);

}  // namespace oracle
