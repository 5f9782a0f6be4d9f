#pragma once
// Where do threads get the tools that are dear to make, and where do they leave them?

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "oracle/evaluate/evaluation.h"

namespace oracle {

/// Tools for threads to take and give back: each keeps the room and the prices of its work before,
/// until these are so many that they fill memory.
template <typename Tool>
class Workshop {
 public:
  struct Worn {
    std::unique_ptr<Tool> tool;
    int times = 0;
    Tool* operator->() const { return tool.get(); }
    Tool& operator*() const { return *tool; }
  };

  explicit Workshop(const Setting& setting) : setting_(setting) {}

  Worn take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {std::make_unique<Tool>(setting_)};
    Worn tool = std::move(idle_.back());
    idle_.pop_back();
    return tool;
  }

  void give_back(Worn tool) {
    constexpr int kMostTimes = 2000;
    if (++tool.times > kMostTimes) return;
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(tool));
  }

 private:
  Setting setting_;
  std::mutex mutex_;
  std::vector<Worn> idle_;
};

}  // namespace oracle
