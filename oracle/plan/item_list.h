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
inline std::uint32_t append_item(Stage& stage, const Action& what, Phase phase,
                                 std::span<const std::uint32_t> needs) {
  stage.items.push_back({what, phase, static_cast<std::uint32_t>(stage.needs.size()), 0, {}, {}});
  for (const std::uint32_t need : needs) add_need(stage, need);
  return static_cast<std::uint32_t>(stage.items.size() - 1);
}

/// The item that makes a tensor, or what it is a part of; kNoItem where it came from outside.
inline std::uint32_t maker_of(const Stage& stage, TensorId tensor) {
  while (stage.tensors[tensor].part_of != kNoTensor) tensor = stage.tensors[tensor].part_of;
  return stage.tensors[tensor].made_by;
}

/// Appends an item of forward or backward with its operands, which needs whatever makes what it
/// reads since `begin`, the first item of its phase. Returns its index.
inline std::uint32_t append_item(Stage& stage, const Action& what, Phase phase, std::uint32_t begin,
                                 std::span<const TensorId> reads,
                                 std::span<const TensorId> writes) {
  const std::uint32_t index = append_item(stage, what, phase, {});
  for (const TensorId tensor : reads) {
    const std::uint32_t maker = maker_of(stage, tensor);
    if (maker != kNoItem && maker >= begin) add_need(stage, maker);
  }
  const auto append = [&](std::span<const TensorId> tensors) {
    const auto first = static_cast<std::uint32_t>(stage.operands.size());
    stage.operands.insert(stage.operands.end(), tensors.begin(), tensors.end());
    return Operands{first, static_cast<std::uint32_t>(tensors.size())};
  };
  Item& item = stage.items.back();
  item.reads = append(reads);
  item.writes = append(writes);
  for (const TensorId tensor : writes) stage.tensors[tensor].made_by = index;
  return index;
}

}  // namespace oracle
