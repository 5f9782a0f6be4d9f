#pragma once
// How fast do threads copy that each have a core and memory of their own?
//
// What a thread copies it has just written; each copy begins when all threads are ready. Copies
// through a message are two, as a rank makes them: into a buffer that is the same each time, and
// from there to where nothing has been for long, as a step makes its tensors where the last one
// did.
//                                                   tests/microbench/compute/copiers_test.cpp

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace oracle {

enum class CopyPath : std::uint8_t { direct, through_message };

/// As many threads as ranks, which copy so many bytes each.
class Copiers {
 public:
  Copiers(int threads, std::size_t bytes, CopyPath path = CopyPath::direct);
  ~Copiers();

  /// Seconds of the slowest of the first `threads` of them, of so many copies in a row; through a
  /// message, of one of the two in the mean.
  std::vector<double> copy(int threads, int times);

 private:
  class Copier;
  std::vector<std::unique_ptr<Copier>> all_;
};

}  // namespace oracle
