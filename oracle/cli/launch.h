#pragma once
// Which lines start the job that was priced?
//
// Those of the framework's file, filled in. Throws InputError, place "--launch", where the
// framework has none, or where the strategy divides more than samples: no framework runs that from
// its command line alone.
//
// Worked: data:16 on nodes of 8, batch 512: "--nnodes=2 --nproc-per-node=8 … --batch-size 32"
//                                                                tests/cli/launch_test.cpp

#include "oracle/evaluate/evaluation.h"
#include "oracle/report/document.h"

namespace oracle::cli {

report::Notes launch_notes(const Evaluation& evaluation, const Cluster& cluster);

}  // namespace oracle::cli
