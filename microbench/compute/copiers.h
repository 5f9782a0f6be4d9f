#pragma once
// How fast do threads copy that each have a core and memory of their own?
//
// What a thread copies it has just written, as a rank has what it packs into a message; each copy
// begins when all threads are ready.                tests/microbench/compute/copiers_test.cpp

#include <cstddef>
#include <memory>
#include <vector>

namespace oracle {

/// As many threads as ranks, which copy so many bytes each.
class Copiers {
 public:
  Copiers(int threads, std::size_t bytes);
  ~Copiers();

  /// Seconds of the slowest of the first `threads` of them, of so many copies in a row.
  std::vector<double> copy(int threads, int times);

 private:
  class Copier;
  std::vector<std::unique_ptr<Copier>> all_;
};

}  // namespace oracle
