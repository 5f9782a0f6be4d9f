#include "oracle/plan/exchanges/quantized.h"

namespace oracle {

std::int64_t half_bytes(std::int64_t elements, double) { return 2 * elements; }

std::int64_t int8_bytes(std::int64_t elements, double) {
  return 4 * quantized_blocks(elements) + (elements + 3) / 4 * 4;
}

std::int64_t onebit_bytes(std::int64_t elements, double) {
  return 8 * quantized_blocks(elements) + (elements + 31) / 32 * 4;
}

}  // namespace oracle
