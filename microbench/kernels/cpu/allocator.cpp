#include "microbench/kernels/cpu/allocator.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::int64_t kCacheLine = 64;
constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
/// More than one tensor has anywhere; asking the system for it may end the program.
constexpr std::int64_t kAbsurd = std::int64_t{1} << 40;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

/// Large blocks lie on huge pages where the system gives them: fewer faults and translations.
void* fresh(std::int64_t bytes) {
  if (bytes >= kAbsurd) return nullptr;
  const std::int64_t alignment = bytes >= kHugePage ? kHugePage : kCacheLine;
  void* data = std::aligned_alloc(static_cast<std::size_t>(alignment),
                                  static_cast<std::size_t>(rounded_up(bytes, alignment)));
  if (data != nullptr && alignment == kHugePage) {
    madvise(data, static_cast<std::size_t>(bytes), MADV_HUGEPAGE);
  }
  return data;
}

}  // namespace

MemoryBlock::~MemoryBlock() {
  if (data_ != nullptr) owner_->release(data_, bytes_);
}

void MemoryBlock::swap(MemoryBlock& other) noexcept {
  std::swap(owner_, other.owner_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
}

Allocator::~Allocator() {
  for (const auto& [bytes, blocks] : kept_) {
    for (void* block : blocks) std::free(block);
  }
}

MemoryBlock Allocator::allocate(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* data = nullptr;
  if (const auto same = kept_.find(bytes); same != kept_.end()) {
    data = same->second.back();
    same->second.pop_back();
    if (same->second.empty()) kept_.erase(same);
    kept_bytes_ -= bytes;
  } else {
    data = fresh(bytes);
  }
  if (data == nullptr) {
    throw EnvironmentError("cannot allocate " + std::to_string(bytes) + " bytes beside the " +
                           std::to_string(now_) +
                           " in use; train with a smaller batch or on more ranks");
  }
  now_ += bytes;
  peak_ = std::max(peak_, now_);
  highest_ = std::max(highest_, now_);
  evict_beyond_highest();
  return {*this, data, bytes};
}

void Allocator::release(void* data, std::int64_t bytes) noexcept {
  now_ -= bytes;
  kept_bytes_ += bytes;
  kept_[bytes].push_back(data);
  evict_beyond_highest();
}

void Allocator::evict_beyond_highest() noexcept {
  while (now_ + kept_bytes_ > highest_) {
    const auto largest = std::prev(kept_.end());
    std::free(largest->second.back());
    largest->second.pop_back();
    kept_bytes_ -= largest->first;
    if (largest->second.empty()) kept_.erase(largest);
  }
}

}  // namespace oracle
