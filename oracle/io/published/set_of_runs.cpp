#include "oracle/io/published/set_of_runs.h"

#include <string>

namespace oracle {

bool read_set_of_runs(json::ObjectReader& object) {
  const std::string set = object.string("set", "judge");
  if (set != "fit" && set != "judge") {
    object.problem("set", "is neither \"fit\" nor \"judge\"", "write one of the two");
  }
  return set == "fit";
}

}  // namespace oracle
