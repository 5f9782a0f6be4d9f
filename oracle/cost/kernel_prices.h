#pragma once
// How is a kernel that stands in many layers, passes and strategies priced only once?
//
// A network repeats its blocks, and strategies that cut alike have the same local shapes: of
// ResNet-50's 474 kernels 141 differ. A roofline depends on what a kernel demands and on nothing
// else that changes in a search, so its terms are kept in a table by demand. What is found there
// is what would be worked out again, to the last bit.    tests/cost/kernel_prices_test.cpp

#include <cstddef>
#include <cstdint>
#include <vector>

#include "oracle/cost/compute/roofline.h"

namespace oracle {

/// Remembers rooflines on one device in one number format; the cluster must outlive it.
class KernelPrices {
 public:
  KernelPrices(const Cluster& cluster, DataType type) : cluster_(&cluster), type_(type) {}

  struct Kernel {
    RooflineTerms terms;  ///< roofline_terms() of the demand
    Seconds in_a_step;    ///< what they come to
  };
  const Kernel& kernel(const KernelDemand& demand);

  DataType type() const { return type_; }
  /// Different demands seen.
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    KernelDemand demand;
    Kernel kernel;
  };
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::uint32_t& place_of(const KernelDemand& demand);
  void grow();

  const Cluster* cluster_;
  DataType type_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> table_;  ///< of them: open addressing; its size is a power of two
};

}  // namespace oracle
