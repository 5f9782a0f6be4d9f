#pragma once
// How do the items of a stage and their dependencies get written down in one place?

#include <cstdint>
#include <span>

#include "oracle/plan/plan.h"

namespace oracle {

/// No item: what is needed was there when the stage began.
inline constexpr std::uint32_t kNoItem = 0xffffffff;

/// Appends an item that needs `needs` (kNoItem entries are skipped) to a stage; returns its index.
inline std::uint32_t append_item(Stage& stage, const std::variant<Work, Transfer>& what,
                                 Phase phase, std::span<const std::uint32_t> needs) {
  Item item{what, phase, static_cast<std::uint32_t>(stage.needs.size()), 0};
  for (const std::uint32_t need : needs) {
    if (need == kNoItem) continue;
    stage.needs.push_back(need);
    ++item.need_count;
  }
  stage.items.push_back(item);
  return static_cast<std::uint32_t>(stage.items.size() - 1);
}

}  // namespace oracle
