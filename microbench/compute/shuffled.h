#pragma once
// In which order are cases taken, so that a drift falls on all of them alike?

#include <cstddef>
#include <random>
#include <utility>
#include <vector>

namespace oracle {

/// 0 to count − 1, each once, in an order that is the same wherever it is drawn.
inline std::vector<std::size_t> shuffled(std::size_t count, std::mt19937_64& random) {
  std::vector<std::size_t> order(count);
  for (std::size_t i = 0; i < count; ++i) order[i] = i;
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  return order;
}

}  // namespace oracle
