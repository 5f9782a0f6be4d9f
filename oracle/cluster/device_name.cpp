#include "oracle/cluster/device_name.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace oracle {

std::string model_in(std::string name) {
  std::replace(name.begin(), name.end(), '-', ' ');
  std::istringstream words(name);
  for (std::string word; words >> word;) {
    const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
    if (std::any_of(word.begin(), word.end(), is_digit)) return word;
  }
  return {};
}

bool may_be_one_model(const std::string& one, const std::string& other) {
  const std::string model = model_in(one), other_model = model_in(other);
  return model.empty() || other_model.empty() || model == other_model;
}

}  // namespace oracle
