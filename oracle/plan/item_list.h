#pragma once
// How do the items of a stage and their dependencies get written down in one place?

#include <cstdint>
#include <span>

#include "oracle/plan/plan.h"

namespace oracle {

/// Lets the last item need one more; kNoItem is none.
inline void add_need(Stage& stage, std::uint32_t need) {
  if (need == kNoItem) return;
  stage.needs.push_back(need);
  ++stage.items.back().need_count;
}

/// Appends an item that needs `needs` (kNoItem entries are skipped) to a stage; returns its index.
inline std::uint32_t append_item(Stage& stage, const std::variant<Work, Transfer>& what,
                                 Phase phase, std::span<const std::uint32_t> needs) {
  stage.items.push_back({what, phase, static_cast<std::uint32_t>(stage.needs.size()), 0});
  for (const std::uint32_t need : needs) add_need(stage, need);
  return static_cast<std::uint32_t>(stage.items.size() - 1);
}

}  // namespace oracle
