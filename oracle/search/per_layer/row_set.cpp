#include "oracle/search/per_layer/row_set.h"

#include <algorithm>

namespace oracle::per_layer {
namespace {

constexpr std::uint32_t kEmpty = 0xffffffff;

std::uint64_t hash_of(std::span<const std::uint32_t> row) {
  std::uint64_t hash = 0x9e3779b97f4a7c15U;
  for (const std::uint32_t number : row) {
    hash = (hash ^ number) * 0xff51afd7ed558ccdU;
    hash ^= hash >> 32;
  }
  return hash;
}

}  // namespace

void RowSet::reset(std::size_t width) {
  width_ = width;
  size_ = 0;
  rows_.clear();
  slots_.assign(64, kEmpty);
}

/// Where the row stands, or the empty slot where it would.
std::size_t RowSet::slot_of(std::span<const std::uint32_t> wanted) const {
  std::size_t slot = hash_of(wanted) & (slots_.size() - 1);
  while (slots_[slot] != kEmpty) {
    const auto known = row(slots_[slot]);
    if (std::equal(known.begin(), known.end(), wanted.begin())) break;
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

std::uint32_t RowSet::insert(const std::vector<std::uint32_t>& wanted) {
  std::size_t slot = slot_of(wanted);
  if (slots_[slot] != kEmpty) return slots_[slot];
  if (2 * (size_ + 1) > slots_.size()) {
    grow();
    slot = slot_of(wanted);
  }
  slots_[slot] = static_cast<std::uint32_t>(size_);
  rows_.insert(rows_.end(), wanted.begin(), wanted.end());
  return static_cast<std::uint32_t>(size_++);
}

void RowSet::grow() {
  slots_.assign(2 * slots_.size(), kEmpty);
  for (std::uint32_t number = 0; number < size_; ++number) slots_[slot_of(row(number))] = number;
}

}  // namespace oracle::per_layer
