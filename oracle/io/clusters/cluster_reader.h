#pragma once
// Which machine does a cluster or device file describe?
//
// data/README.md shows the form; data/schema/ has it for editors. All quantities carry units, every
// figure has a source (figure_sources.h), and what is assumed becomes a line of `assumptions`.
//
// Worked: a level of bandwidth "25 GB/s" and 2 rails has a flow limit of 12.5 GB/s
//                                                         tests/io/clusters/cluster_reader_test.cpp

#include <string_view>

#include "oracle/cluster/cluster.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Each throws InputError with every problem of the file. The id is the file's name without
/// ".json". A cluster's device is a name (data/devices/NAME.json), a path as seen from the
/// cluster's file, or the description itself.
Device read_device(const json::Document& document);
Cluster read_cluster(const json::Document& document);

/// Finds a cluster by name (data/clusters/NAME.json), path, "here" (this machine, detected), or
/// from one line (cluster_line.h). Of a profile (oracle calibrate), the machine that it was
/// measured on.
Cluster load_cluster(std::string_view name);
Device load_device(std::string_view name);

/// This machine, as the operating system reports it (here.h); figures it does not report are
/// assumed and listed in `assumptions`. Throws EnvironmentError where /proc cannot be read.
Cluster detect_here();

}  // namespace oracle
