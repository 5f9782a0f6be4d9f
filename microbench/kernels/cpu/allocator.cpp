#include "microbench/kernels/cpu/allocator.h"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <utility>

#include "oracle/base/error.h"

namespace oracle {
namespace {

constexpr std::int64_t kHugePage = std::int64_t{2} << 20;
/// What is not touched costs nothing; fewer chunks leave fewer gaps.
constexpr std::int64_t kChunk = std::int64_t{256} << 20;
/// More than one tensor has anywhere; asking the system for it may end the program.
constexpr std::int64_t kAbsurd = std::int64_t{1} << 40;

std::int64_t rounded_up(std::int64_t bytes, std::int64_t unit) {
  return (bytes + unit - 1) / unit * unit;
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
  for (void* chunk : chunks_) std::free(chunk);
}

// On huge pages where the system gives them: fewer faults and translations.
void* Allocator::grow(std::int64_t bytes) {
  if (bytes >= kAbsurd) return nullptr;
  const std::int64_t size = rounded_up(std::max(bytes, kChunk), kHugePage);
  void* chunk = std::aligned_alloc(kHugePage, static_cast<std::size_t>(size));
  if (chunk == nullptr) return nullptr;
  madvise(chunk, static_cast<std::size_t>(size), MADV_HUGEPAGE);
  chunks_.push_back(chunk);
  arena_.add(chunk, size);
  return arena_.take(bytes);
}

MemoryBlock Allocator::allocate(std::int64_t bytes) {
  if (bytes == 0) return {};
  void* data = arena_.take(bytes);
  if (data == nullptr) data = grow(bytes);
  if (data == nullptr) {
    throw EnvironmentError("cannot allocate " + std::to_string(bytes) + " bytes besides the " +
                           std::to_string(now_) +
                           " in use; train with a smaller batch or on more ranks");
  }
  now_ += bytes;
  peak_ = std::max(peak_, now_);
  return {*this, data, bytes};
}

void Allocator::release(void* data, std::int64_t bytes) noexcept {
  now_ -= bytes;
  arena_.give(data, bytes);
}

}  // namespace oracle
