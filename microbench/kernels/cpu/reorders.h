#pragma once
// Which copies from one format into another are ready to run?
//
// oneDNN looks for a way to copy each time it is asked, 4 to 12 us in a step, and a step makes the
// same copies over and over. So each is looked for once.
//                                               tests/microbench/kernels/cpu/reorders_test.cpp

#include <cstddef>
#include <cstdint>
#include <oneapi/dnnl/dnnl.hpp>
#include <unordered_map>

#include "microbench/kernels/cpu/primitive.h"

namespace oracle {

class Reorders {
 public:
  /// The copy, or the sum onto what is there; stays where it is.
  const Primitive& find(const dnnl::engine& engine, const dnnl::memory::desc& from,
                        const dnnl::memory::desc& to, bool accumulate);
  std::size_t size() const { return ready_.size(); }

 private:
  struct Ready {
    dnnl::memory::desc from, to;
    bool accumulate;
    Primitive primitive;
  };

  std::unordered_multimap<std::uint64_t, Ready> ready_;  ///< by a hash of both formats
};

}  // namespace oracle
