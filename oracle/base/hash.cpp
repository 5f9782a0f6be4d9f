#include "oracle/base/hash.h"

namespace oracle {

std::string Fnv1a::digits() const {
  std::string digits(16, '0');
  std::uint64_t rest = hash_;
  for (std::size_t i = digits.size(); i > 0; rest >>= 4U) {
    digits[--i] = "0123456789abcdef"[rest & 15U];
  }
  return digits;
}

}  // namespace oracle
