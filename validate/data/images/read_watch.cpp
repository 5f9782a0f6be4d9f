#include "validate/data/images/read_watch.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>
#include <utility>

#include "oracle/base/error.h"
#include "oracle/base/exit_code.h"

namespace oracle {
namespace {

using Clock = std::chrono::steady_clock;

std::string seconds_text(double seconds) {
  std::string text = std::to_string(seconds);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace

ReadWatch::ReadWatch(ReadLimit limit) : limit_(std::move(limit)) {
  if (limit_.seconds > 0) thread_ = std::thread([this] { watch(); });
}

ReadWatch::~ReadWatch() {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    leaving_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

ReadWatch::Reading::~Reading() {
  const std::scoped_lock lock(watch_.mutex_);
  watch_.begun_.erase(at_);
}

ReadWatch::Reading ReadWatch::reading(std::string what) {
  const std::scoped_lock lock(mutex_);
  begun_.push_back({std::move(what), Clock::now()});
  return {*this, std::prev(begun_.end())};
}

void ReadWatch::watch() {
  const auto limit =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(limit_.seconds));
  std::unique_lock lock(mutex_);
  while (!leaving_) {
    const auto due = begun_.empty() ? Clock::now() + limit : begun_.front().since + limit;
    if (Clock::now() >= due) {
      const std::string what = begun_.front().what;
      lock.unlock();
      return report(what);
    }
    changed_.wait_until(lock, due);
  }
}

void ReadWatch::report(const std::string& what) const {
  const std::string reader = limit_.reader.empty() ? "" : limit_.reader + ": ";
  const std::string line = reader + what + ": has not been read within " +
                           seconds_text(limit_.seconds) + " s; see whether its disk answers";
  if (limit_.report) return limit_.report(line);
  std::fprintf(stderr, "oracle: %s\n", line.c_str());
  _exit(status_of(ExitCode::surroundings));
}

}  // namespace oracle
