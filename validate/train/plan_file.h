#pragma once
// Which run does the answer of `oracle estimate` or `oracle plan` ask for?
//
// An answer in JSON names network, cluster, strategy and training. They become the words that one
// would have typed to oracle-train, so that there is one way to a plan; and where the answer lists
// the plan's items, the plan that is run must have the very same.
//                                                       tests/validate/train/plan_file_test.cpp

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "validate/record/prediction.h"

namespace oracle {

struct PlanFile {
  std::string name;
  std::vector<std::string> words;    ///< of oracle-train
  std::optional<Prediction> priced;  ///< of an estimate: the items that were priced
};

/// Of an estimate that fits, or of what `oracle plan` ranked: the candidate of that number, from 1,
/// or the one that it recommends. Throws InputError with every problem of the file,
/// EnvironmentError where it cannot be read.
PlanFile read_plan_file(const std::filesystem::path& file,
                        std::optional<std::int64_t> candidate = {});
PlanFile parse_plan_file(const json::Document& document,
                         std::optional<std::int64_t> candidate = {});

/// Throws InputError at `name` where pieces or bytes on the wire are not those that were priced.
void require_same_plan(const std::string& name, const Prediction& priced, const Prediction& now);

}  // namespace oracle
