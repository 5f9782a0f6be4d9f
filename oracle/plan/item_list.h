#pragma once
// How do the items of a stage and their dependencies get written down in one place?

#include <cstdint>
#include <initializer_list>
#include <span>

#include "oracle/plan/plan.h"

namespace oracle {

/// No item: what is needed was there when the stage began.
inline constexpr std::uint32_t kNoItem = 0xffffffff;

/// Appends items to a stage.
class ItemList {
 public:
  explicit ItemList(Stage& stage) : stage_(stage) {}

  /// Appends an item that needs `needs` (kNoItem entries are skipped); returns its index.
  std::uint32_t add(std::variant<Work, Transfer> what, Phase phase,
                    std::span<const std::uint32_t> needs) {
    Item item{what, phase, static_cast<std::uint32_t>(stage_.needs.size()), 0};
    for (const std::uint32_t need : needs) {
      if (need == kNoItem) continue;
      stage_.needs.push_back(need);
      ++item.need_count;
    }
    stage_.items.push_back(item);
    return static_cast<std::uint32_t>(stage_.items.size() - 1);
  }
  std::uint32_t add(std::variant<Work, Transfer> what, Phase phase,
                    std::initializer_list<std::uint32_t> needs) {
    return add(what, phase, std::span(needs.begin(), needs.size()));
  }

 private:
  Stage& stage_;
};

}  // namespace oracle
