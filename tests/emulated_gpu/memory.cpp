#include "tests/emulated_gpu/memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <stdexcept>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace oracle::emulated {
namespace {

constexpr std::size_t kSize = std::size_t{256} << 20;
constexpr std::size_t kGrain = 4096;
constexpr std::size_t kLargePage = std::size_t{2} << 20;
/// What is larger is no tensor of a test, and would cost more to fill than to use.
constexpr std::size_t kMostPoisoned = std::size_t{1} << 20;

class Arena {
 public:
  /// Each launch opens and closes all of it, page by page: in large ones where the kernel has them.
  Arena() {
    void* all = mmap(nullptr, kSize + kLargePage, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (all == MAP_FAILED) throw std::runtime_error("no address space for an emulated device");
    const std::size_t past = reinterpret_cast<std::uintptr_t>(all) % kLargePage;
    begin_ = static_cast<char*>(all) + (kLargePage - past);
    madvise(begin_, kSize, MADV_HUGEPAGE);
  }

  void open() {
    const std::lock_guard lock(mutex_);
    if (inside_++ == 0) mprotect(begin_, kSize, PROT_READ | PROT_WRITE);
  }
  void close() {
    const std::lock_guard lock(mutex_);
    if (--inside_ == 0) mprotect(begin_, kSize, PROT_NONE);
  }

  void* take(std::size_t bytes) {
    const std::size_t room = (bytes + kGrain - 1) / kGrain * kGrain;
    const std::lock_guard lock(mutex_);
    std::size_t at = 0;
    for (const auto& [begin, size] : taken_) {
      if (begin - at >= room) break;
      at = begin + size;
    }
    if (at + room > kSize) return nullptr;
    taken_[at] = room;
    return begin_ + at;
  }
  void give(void* data) {
    const std::lock_guard lock(mutex_);
    const auto found = taken_.find(static_cast<std::size_t>(static_cast<char*>(data) - begin_));
    if (found == taken_.end()) throw std::runtime_error("cudaFree of what was not taken");
    taken_.erase(found);
  }
  bool holds(const void* data) const {
    const auto* at = static_cast<const char*>(data);
    return at >= begin_ && at < begin_ + kSize;
  }

 private:
  char* begin_ = nullptr;
  std::mutex mutex_;
  int inside_ = 0;
  std::map<std::size_t, std::size_t> taken_;  ///< size by begin
};

Arena& arena() {
  static Arena one;
  return one;
}

/// Of the host's, which the device reaches as well.
class Pinned {
 public:
  void* take(std::size_t bytes) {
    std::vector<std::byte> memory(bytes);
    const std::lock_guard lock(mutex_);
    const std::byte* begin = memory.data();
    return (taken_[begin] = std::move(memory)).data();
  }
  void give(const void* data) {
    const std::lock_guard lock(mutex_);
    if (taken_.erase(static_cast<const std::byte*>(data)) == 0) {
      throw std::runtime_error("cudaFreeHost of what was not taken");
    }
  }
  bool holds(const void* data) {
    const auto* at = static_cast<const std::byte*>(data);
    const std::lock_guard lock(mutex_);
    const auto after = taken_.upper_bound(at);
    if (after == taken_.begin()) return false;
    const auto& [begin, memory] = *std::prev(after);
    return at < begin + memory.size();
  }

 private:
  std::mutex mutex_;
  std::map<const std::byte*, std::vector<std::byte>> taken_;
};

Pinned& pinned() {
  static Pinned one;
  return one;
}

}  // namespace

void* take(std::size_t bytes) {
  void* data = arena().take(bytes);
  if (data == nullptr || bytes > kMostPoisoned) return data;
  const Opened memory;
  std::memset(data, 0xFF, bytes);
  return data;
}

void give(void* data) { arena().give(data); }
bool is_device(const void* data) { return arena().holds(data); }

void* take_pinned(std::size_t bytes) { return pinned().take(bytes); }
void give_pinned(void* data) { pinned().give(data); }
bool is_pinned(const void* data) { return pinned().holds(data); }

void open_memory() { arena().open(); }
void close_memory() { arena().close(); }

}  // namespace oracle::emulated
