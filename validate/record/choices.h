#pragma once
// Which algorithms did the ranks of a run choose, and in which form are they kept?
//
// A back end measures (Backend::choices); ranks of a stage that chose the same are named together,
// with the longest of their times.                  tests/validate/record/choices_test.cpp

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "microbench/kernels/backend.h"

namespace oracle {

struct ChosenAlgorithm {
  std::size_t stage = 0;
  std::vector<int> ranks;  ///< that chose it
  Choice choice;
};

/// Adds what a rank chose to what others did.
void add_choices(std::size_t stage, int rank, std::span<const Choice> choices,
                 std::vector<ChosenAlgorithm>& chosen);
/// The largest of all [bytes]; 0 of none.
std::int64_t largest_workspace(std::span<const ChosenAlgorithm> chosen);

nlohmann::ordered_json choice_json(const Choice& choice);
/// Of what choice_json wrote.
Choice choice_of(const nlohmann::json& json);
nlohmann::ordered_json chosen_json(std::span<const ChosenAlgorithm> chosen);

}  // namespace oracle
