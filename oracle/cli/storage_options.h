#pragma once
// From which storage are samples read, and in which files?    tests/cli/storage_options_test.cpp

#include <array>
#include <optional>
#include <string_view>

#include "oracle/budget/data_set.h"
#include "oracle/cli/arguments.h"
#include "oracle/cli/problem_list.h"
#include "oracle/evaluate/storage_costs.h"
#include "oracle/graph/graph.h"

namespace oracle::cli {

extern const std::array<Option, 5> kStorageOptions;

/// Threads of a rank, and where they read where --storage says it. Of a data set samples are as
/// large as its files say, else a byte for each value.
StorageRequest read_storage_options(const Arguments& arguments, const Graph* graph,
                                    const std::optional<DataSet>& data, ProblemList& problems);

/// Throws InputError where an option wants rates of storage and nothing has any.
void require_rates(std::string_view option, const Arguments& arguments, const Profile& profile);

}  // namespace oracle::cli
