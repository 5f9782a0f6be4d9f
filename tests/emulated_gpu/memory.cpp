#include "tests/emulated_gpu/memory.h"

#include <algorithm>
#include <atomic>
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

/// Of either memory.
std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

struct Part {
  std::size_t size = 0;
  std::uint64_t number = 0;
};

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
    for (const auto& [begin, part] : taken_) {
      if (begin - at >= room) break;
      at = begin + part.size;
    }
    if (at + room > kSize) return nullptr;
    taken_[at] = {room, next_number()};
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
  std::uint64_t number_of(const void* data) {
    if (!holds(data)) return 0;
    const auto at = static_cast<std::size_t>(static_cast<const char*>(data) - begin_);
    const std::lock_guard lock(mutex_);
    const auto after = taken_.upper_bound(at);
    if (after == taken_.begin()) return 0;
    const auto& [begin, part] = *std::prev(after);
    return at < begin + part.size ? part.number : 0;
  }

 private:
  char* begin_ = nullptr;
  std::mutex mutex_;
  int inside_ = 0;
  std::map<std::size_t, Part> taken_;  ///< by begin
};

Arena& arena() {
  static Arena one;
  return one;
}

/// Of the host's, which the device reaches as well.
class Pinned {
 public:
  void* take(std::size_t bytes) {
    Memory memory{std::vector<std::byte>(bytes), next_number()};
    const std::lock_guard lock(mutex_);
    const std::byte* begin = memory.bytes.data();
    return (taken_[begin] = std::move(memory)).bytes.data();
  }
  void give(const void* data) {
    const std::lock_guard lock(mutex_);
    if (taken_.erase(static_cast<const std::byte*>(data)) == 0) {
      throw std::runtime_error("cudaFreeHost of what was not taken");
    }
  }
  /// 0 where no memory holds it.
  std::uint64_t number_of(const void* data) {
    const auto* at = static_cast<const std::byte*>(data);
    const std::lock_guard lock(mutex_);
    const auto after = taken_.upper_bound(at);
    if (after == taken_.begin()) return 0;
    const auto& [begin, memory] = *std::prev(after);
    return at < begin + memory.bytes.size() ? memory.number : 0;
  }

 private:
  struct Memory {
    std::vector<std::byte> bytes;
    std::uint64_t number = 0;
  };

  std::mutex mutex_;
  std::map<const std::byte*, Memory> taken_;
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
bool is_pinned(const void* data) { return pinned().number_of(data) != 0; }

std::uint64_t allocation_of(const void* data) {
  return is_device(data) ? arena().number_of(data) : pinned().number_of(data);
}

void open_memory() { arena().open(); }
void close_memory() { arena().close(); }

}  // namespace oracle::emulated
