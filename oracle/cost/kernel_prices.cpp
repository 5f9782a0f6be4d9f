#include "oracle/cost/kernel_prices.h"

#include <bit>

#include "oracle/base/hash.h"

namespace oracle {
namespace {

constexpr std::size_t kFirstSize = 512;

std::uint64_t hash_of(const KernelDemand& demand) {
  std::uint64_t hash = static_cast<std::uint64_t>(demand.form) |
                       static_cast<std::uint64_t>(demand.pass) << 3 |
                       static_cast<std::uint64_t>(demand.narrow) << 6 |
                       static_cast<std::uint64_t>(demand.kernels) << 7;
  mix(hash, std::bit_cast<std::uint64_t>(demand.flops.value));
  mix(hash, std::bit_cast<std::uint64_t>(demand.traffic.value));
  mix(hash, static_cast<std::uint64_t>(demand.m));
  mix(hash, static_cast<std::uint64_t>(demand.n));
  mix(hash, static_cast<std::uint64_t>(demand.k));
  mix(hash, static_cast<std::uint64_t>(demand.groups));
  return hash;
}

}  // namespace

const KernelPrices::Kernel& KernelPrices::kernel(const KernelDemand& demand) {
  if (2 * (entries_.size() + 1) > table_.size()) grow();
  std::uint32_t& place = place_of(demand);
  if (place == kNone) {
    place = static_cast<std::uint32_t>(entries_.size());
    const RooflineTerms terms = roofline_terms(demand, type_, *cluster_);
    entries_.push_back({demand, {terms, terms.in_a_step()}});
  }
  return entries_[place].kernel;
}

std::uint32_t& KernelPrices::place_of(const KernelDemand& demand) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of(demand) & mask;
  while (table_[at] != kNone && entries_[table_[at]].demand != demand) at = (at + 1) & mask;
  return table_[at];
}

void KernelPrices::grow() {
  table_.assign(table_.empty() ? kFirstSize : 2 * table_.size(), kNone);
  for (std::uint32_t i = 0; i < entries_.size(); ++i) place_of(entries_[i].demand) = i;
}

}  // namespace oracle
