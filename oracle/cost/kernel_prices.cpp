#include "oracle/cost/kernel_prices.h"

#include <bit>
#include <utility>

#include "oracle/base/hash.h"

namespace oracle {
namespace {

constexpr std::size_t kFirstSize = 512;

std::uint64_t hash_of(const KernelDemand& demand) {
  std::uint64_t hash = static_cast<std::uint64_t>(demand.form) |
                       static_cast<std::uint64_t>(demand.pass) << 3 |
                       static_cast<std::uint64_t>(demand.kernels) << 6;
  mix(hash, std::bit_cast<std::uint64_t>(demand.flops.value));
  mix(hash, std::bit_cast<std::uint64_t>(demand.traffic.value));
  mix(hash, static_cast<std::uint64_t>(demand.m));
  mix(hash, static_cast<std::uint64_t>(demand.n));
  mix(hash, static_cast<std::uint64_t>(demand.k));
  mix(hash, static_cast<std::uint64_t>(demand.groups));
  return hash;
}

}  // namespace

const RooflineTerms& KernelPrices::terms(const KernelDemand& demand) {
  if (2 * (size_ + 1) > table_.size()) grow();
  Entry& entry = place_of(demand);
  if (!entry.taken) {
    entry = {demand, roofline_terms(demand, type_, *cluster_), true};
    ++size_;
  }
  return entry.terms;
}

KernelPrices::Entry& KernelPrices::place_of(const KernelDemand& demand) {
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash_of(demand) & mask;
  while (table_[at].taken && table_[at].demand != demand) at = (at + 1) & mask;
  return table_[at];
}

void KernelPrices::grow() {
  std::vector<Entry> old = std::exchange(table_, {});
  table_.resize(old.empty() ? kFirstSize : 2 * old.size());
  for (const Entry& entry : old) {
    if (entry.taken) place_of(entry.demand) = entry;
  }
}

}  // namespace oracle
