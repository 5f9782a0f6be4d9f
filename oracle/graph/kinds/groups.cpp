#include "oracle/graph/kinds/groups.h"

#include <string>

#include "oracle/base/error.h"

namespace oracle {

std::int64_t read_groups(const Attributes& attributes, std::string_view name, std::int64_t channels,
                         std::int64_t fallback) {
  const std::int64_t groups = attributes.integer(name, 1, fallback);
  if (channels % groups == 0) return groups;
  const std::string word(name);
  throw InputError("",
                   std::to_string(groups) + " " + word + " do not divide " +
                       std::to_string(channels) + " channels",
                   "choose \"" + word + "\" that divides them");
}

}  // namespace oracle
