#include "validate/record/choices.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "oracle/base/error.h"

namespace oracle {
namespace {

/// But for the time that each rank measured for itself.
bool same(const Choice& a, Choice b) {
  b.seconds = a.seconds;
  return a == b;
}

Pass pass_named(const std::string& name) {
  for (const Pass pass : {Pass::forward, Pass::backward_data, Pass::backward_weights}) {
    if (name_of(pass) == name) return pass;
  }
  throw Defect("a choice is of a pass that there is not: " + name);
}

}  // namespace

void add_choices(std::size_t stage, int rank, std::span<const Choice> choices,
                 std::vector<ChosenAlgorithm>& chosen) {
  for (const Choice& choice : choices) {
    const auto known =
        std::find_if(chosen.begin(), chosen.end(), [&](const ChosenAlgorithm& other) {
          return other.stage == stage && same(other.choice, choice);
        });
    if (known == chosen.end()) {
      chosen.push_back({stage, {rank}, choice});
      continue;
    }
    known->ranks.push_back(rank);
    if (choice.seconds)
      known->choice.seconds = std::max(*choice.seconds, known->choice.seconds.value_or(0));
  }
}

std::int64_t largest_workspace(std::span<const ChosenAlgorithm> chosen) {
  std::int64_t largest = 0;
  for (const ChosenAlgorithm& each : chosen) largest = std::max(largest, each.choice.workspace);
  return largest;
}

nlohmann::ordered_json choice_json(const Choice& choice) {
  nlohmann::ordered_json json = {{"layer", choice.layer},
                                 {"pass", name_of(choice.pass)},
                                 {"operation", choice.operation},
                                 {"shapes", choice.shapes},
                                 {"algorithm", choice.algorithm},
                                 {"workspace_bytes", choice.workspace},
                                 {"deterministic", choice.deterministic}};
  if (choice.seconds) json["seconds"] = *choice.seconds;
  return json;
}

Choice choice_of(const nlohmann::json& json) {
  Choice choice;
  json.at("layer").get_to(choice.layer);
  choice.pass = pass_named(json.at("pass").get<std::string>());
  json.at("operation").get_to(choice.operation);
  json.at("shapes").get_to(choice.shapes);
  json.at("algorithm").get_to(choice.algorithm);
  json.at("workspace_bytes").get_to(choice.workspace);
  json.at("deterministic").get_to(choice.deterministic);
  if (json.contains("seconds")) choice.seconds = json.at("seconds").get<double>();
  return choice;
}

nlohmann::ordered_json chosen_json(std::span<const ChosenAlgorithm> chosen) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const ChosenAlgorithm& each : chosen) {
    nlohmann::ordered_json json = {{"stage", each.stage}, {"ranks", each.ranks}};
    json.update(choice_json(each.choice));
    list.push_back(std::move(json));
  }
  return list;
}

}  // namespace oracle
