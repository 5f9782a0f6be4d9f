#include "oracle/graph/limits.h"

#include <string>

#include "oracle/base/error.h"

namespace oracle {

std::int64_t bounded_product(std::initializer_list<std::int64_t> factors, std::string_view what) {
  std::int64_t product = 1;
  for (const std::int64_t factor : factors) {
    ensure(factor >= 0, "a negative factor in a tensor's size");
    if (factor != 0 && product > kMostElements / factor) {
      throw InputError("", std::string(what) + " would have 2^53 elements or more",
                       "lower its extents or features");
    }
    product *= factor;
  }
  return product;
}

}  // namespace oracle
