#pragma once
// What was asked, and what answered it? Members of every answer in JSON.
//
//   "answered_by": {"version": "0.1.0", "commit": "…", "data_revision": "…"}
//   "asked": {"command": "plan", "model": "resnet50", "cluster": "abci", "gpus": "64"}
//                                                                  tests/cli/provenance_test.cpp

#include "oracle/cli/arguments.h"
#include "oracle/report/document.h"

namespace oracle::cli {

/// Version and commit of the program, revision of the models and machines it ships with.
report::Fields answered_by();

/// The command with every argument and option given, but those that choose the output.
report::Fields asked(const Command& command, const Arguments& arguments);

}  // namespace oracle::cli
