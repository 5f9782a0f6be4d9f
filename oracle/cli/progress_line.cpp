#include "oracle/cli/progress_line.h"

#include <cmath>
#include <ostream>
#include <utility>

#include "oracle/report/text.h"

namespace oracle::cli {
namespace {

constexpr std::chrono::milliseconds kPatience{500};
constexpr std::chrono::milliseconds kInterval{100};

}  // namespace

ProgressLine::ProgressLine(const Progress& progress, std::string_view things, Clock clock)
    : err_(progress.err),
      things_(things),
      clock_(std::move(clock)),
      begin_(clock_()),
      next_(begin_ + kPatience) {}

std::function<bool(std::int64_t, std::int64_t)> ProgressLine::callback() {
  if (!err_) return {};
  return [this](std::int64_t done, std::int64_t total) {
    show(done, total);
    return true;
  };
}

void ProgressLine::show(std::int64_t done, std::int64_t total) {
  const auto now = clock_();
  if (now < next_) return;
  next_ = now + kInterval;
  shown_ = true;
  *err_ << "\roracle: " << report::grouped(done) << " of " << report::grouped(total) << ' '
        << things_;
  if (done > 0) {
    const std::chrono::duration<double> spent = now - begin_;
    const double left =
        spent.count() * static_cast<double>(total - done) / static_cast<double>(done);
    *err_ << ", " << report::grouped(std::llround(std::ceil(left))) << " s left";
  }
  *err_ << "\033[K" << std::flush;
}

void ProgressLine::clear() {
  if (shown_) *err_ << "\r\033[K" << std::flush;
  shown_ = false;
}

}  // namespace oracle::cli
