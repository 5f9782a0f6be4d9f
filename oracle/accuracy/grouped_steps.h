#pragma once
// Which runs belong together, and what is the median of those that repeat each other?
//
// Groups stand in the order in which runs name them, within each what is compared by its key.
//                                      tests/accuracy/scaling_test.cpp,
//                                      tests/accuracy/choice_test.cpp

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "oracle/base/statistics.h"
#include "oracle/base/units.h"

namespace oracle {

/// Medians, in seconds.
struct StepPair {
  double predicted = 0, measured = 0;
};

template <typename Key>
class GroupedSteps {
 public:
  using Group = std::pair<std::string, std::map<Key, StepPair>>;

  void add(const std::string& group, const Key& key, Seconds predicted, Seconds measured) {
    if (!runs_.contains(group)) order_.push_back(group);
    auto& [all_predicted, all_measured] = runs_[group][key];
    all_predicted.push_back(predicted.value);
    all_measured.push_back(measured.value);
  }

  std::vector<Group> medians() const {
    std::vector<Group> groups;
    for (const std::string& name : order_) {
      groups.emplace_back(name, std::map<Key, StepPair>{});
      for (const auto& [key, steps] : runs_.at(name)) {
        groups.back().second[key] = {median(steps.first), median(steps.second)};
      }
    }
    return groups;
  }

 private:
  using Steps = std::pair<std::vector<double>, std::vector<double>>;
  std::vector<std::string> order_;
  std::map<std::string, std::map<Key, Steps>> runs_;
};

}  // namespace oracle
