#include "oracle/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <vector>

namespace oracle {
namespace {

constexpr std::int64_t kChunk = 16;

/// What the threads share: the next index to take, and the first failure.
class Pool {
 public:
  Pool(std::int64_t count, const std::function<void(std::int64_t)>& work)
      : count_(count), work_(work) {}

  /// Takes and does one chunk; false when nothing is left or somebody failed.
  bool do_chunk() {
    if (stopped_) return false;
    const std::int64_t begin = next_.fetch_add(kChunk);
    if (begin >= count_) return false;
    const std::int64_t end = std::min(begin + kChunk, count_);
    guarded([&] {
      for (std::int64_t i = begin; i < end; ++i) work_(i);
    });
    return true;
  }

  /// Runs `call`; what it throws stops all threads and waits for raise().
  template <typename Call>
  void guarded(Call call) {
    try {
      call();
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!failure_) failure_ = std::current_exception();
      stopped_ = true;
    }
  }

  void stop() { stopped_ = true; }
  std::int64_t taken() const { return std::min(next_.load(), count_); }
  bool complete() const { return !stopped_; }
  void raise() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  std::int64_t count_;
  const std::function<void(std::int64_t)>& work_;
  std::atomic<std::int64_t> next_{0};
  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
};

/// As many as the machine gives: this thread does what is left.
void start_helpers(Pool& pool, unsigned threads, std::vector<std::thread>& helpers) {
  try {
    for (unsigned t = 1; t < threads; ++t) {
      helpers.emplace_back([&pool] {
        while (pool.do_chunk()) {
        }
      });
    }
  } catch (const std::system_error&) {  // no more threads or no memory for their stacks
  } catch (const std::bad_alloc&) {
  }
}

}  // namespace

bool parallel_for(std::int64_t count, unsigned threads,
                  const std::function<void(std::int64_t)>& work,
                  const std::function<bool(std::int64_t)>& pause) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  Pool pool(count, work);
  std::vector<std::thread> helpers;
  const auto useful = static_cast<unsigned>(std::min<std::int64_t>(threads, count / kChunk + 1));
  start_helpers(pool, useful, helpers);
  while (pool.do_chunk()) {
    if (!pause) continue;
    pool.guarded([&] {
      if (!pause(pool.taken())) pool.stop();
    });
  }
  for (std::thread& helper : helpers) helper.join();
  pool.raise();
  return pool.complete();
}

}  // namespace oracle
