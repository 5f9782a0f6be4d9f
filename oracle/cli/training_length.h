#pragma once
// How long is trained: for so many epochs or tokens, or until a target is reached?
//
// --epochs, --tokens and --samples fix it, for small batches alone where --critical-batch says how
// much more large ones need. Otherwise published points of the network say how much
// data the target takes (io/budget/convergence_reader.h).     tests/cli/training_length_test.cpp

#include <array>
#include <optional>

#include "oracle/budget/data_set.h"
#include "oracle/budget/run_cost.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/graph/graph.h"

namespace oracle::cli {

extern const std::array<Option, 3> kTargetOptions;

struct AskedLength {
  TrainingLength length;
  std::optional<Convergence> convergence{};  ///< where a target is to be reached
  std::optional<DataSet> data_set{};         ///< where it has a name
};

std::optional<AskedLength> read_length(const Arguments& arguments, const Graph& graph,
                                       ProblemList& problems);

}  // namespace oracle::cli
