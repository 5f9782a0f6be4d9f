#pragma once
// Which lines start the job that was priced?
//
// Those of the framework's file (io/frameworks/launch_reader.h) that the strategy asks for. In
// braces are filled in:
// - {nodes}, {per_node}, {ranks}: of the cluster
// - {batch}, {batch_per_rank}: samples of a step, and what one part of the ranks sees of them
// - {micro_batch}: samples of a micro-batch
// - {bucket_mib}: the bucket, in MiB
// - {experts}: parts in which experts are, expert times tensor_expert
// - {instances}: copies of what zero shards, with shard=
// - {pipeline}, {chunks}, {zero} …: degrees of axes, values of options
//
// Nothing goes unsaid: throws InputError, place "--launch", where the framework has no line for an
// axis or an option that the strategy has, or numbers its ranks otherwise.
//
// Worked: data:16 on nodes of 8, batch 512: "--nnodes=2 --nproc-per-node=8 … --batch-size 32"
//                                                                tests/cli/launch_test.cpp

#include <string>
#include <vector>

#include "oracle/evaluate/evaluation.h"
#include "oracle/report/document.h"

namespace oracle::cli {

/// Throws InputError where the framework's file has no lines at all.
void require_launch_lines(const Framework& framework);

/// Those of mesh axes by name that a line speaks of; of data any does.
std::vector<std::string> launched_axes(const Framework& framework, std::vector<std::string> axes);

/// Requires evaluation.fits().
report::Notes launch_notes(const Evaluation& evaluation, const Cluster& cluster);

}  // namespace oracle::cli
