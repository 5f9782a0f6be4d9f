#include "oracle/plan/exchanges/sparse.h"

#include <algorithm>
#include <cmath>

#include "oracle/base/in_quotes.h"
#include "oracle/base/quantity_text.h"

namespace oracle {
namespace {

constexpr std::int64_t kPairBytes = 8;
/// Of a product of two numbers.
constexpr double kRounding = 1e-9;

}  // namespace

std::int64_t kept_values(std::int64_t elements, double share) {
  const double kept = std::ceil(static_cast<double>(elements) * share * (1 - kRounding));
  return std::clamp<std::int64_t>(static_cast<std::int64_t>(kept),
                                  std::min<std::int64_t>(1, elements), elements);
}

std::int64_t topk_bytes(std::int64_t elements, double share) {
  return kPairBytes * kept_values(elements, share);
}

std::int64_t sketch_bytes(std::int64_t elements, double share) {
  return 4 * kSketchRows * sketch_columns(elements, share);
}

double read_kept_share(std::string_view text) {
  const double share = parse_share(text);
  if (share > 0 && share <= 1) return share;
  throw QuantityError(in_quotes(text) + " of the values cannot be sent",
                      "write more than 0 %, and at most 100 %");
}

bool keeps_all(double share) { return share >= 1; }

}  // namespace oracle
