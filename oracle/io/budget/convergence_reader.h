#pragma once
// What was published of the data that a network needs to reach a target?
//
// Worked: of "resnet50", "75.9 %" → data/convergence/resnet50.json
//                                                     tests/io/budget/convergence_reader_test.cpp

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/budget/convergence.h"
#include "oracle/io/json/document.h"

namespace oracle {

/// Throws InputError with every problem of the file.
Convergence read_convergence(const json::Document& document);

/// A name of data/convergence or a path.
Convergence load_convergence(std::string_view name);

/// Those of data/convergence that name the network.
std::vector<Convergence> convergence_of(std::string_view network);

}  // namespace oracle
