#pragma once
// What is in a network: layers, shapes, parameters, work and bytes per pass?
//
// Work and bytes are those of the whole layer on one device for `training.batch` samples; bytes are
// what a pass moves to and from device memory at least (cost/compute/kernel.h).
//                                                              tests/report/model_report_test.cpp

#include "oracle/graph/graph.h"
#include "oracle/plan/training.h"
#include "oracle/report/document.h"

namespace oracle::report {

Document model_report(const Graph& graph, const Training& training);

}  // namespace oracle::report
