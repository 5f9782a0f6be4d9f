#pragma once
// Which options has a strategy beside its cuts?
//
//   data:8,pipeline:4; micro_batches=16; schedule=gpipe
//
// One row each: parser, writer and listing read the same table.
//                                                          tests/plan/strategy/strategy_options_test.cpp

#include <span>
#include <string>
#include <string_view>

#include "oracle/plan/strategy/strategy.h"

namespace oracle {

struct StrategyOption {
  std::string_view name;
  std::string_view values;  ///< that it takes
  std::string_view usual;   ///< what counts where it is not given
  std::string_view text;
  /// Throws InputError (place "--strategy").
  void (*read)(std::string_view value, Strategy& strategy);
  /// The value as `read` takes it; empty where it goes without saying.
  std::string (*written)(const Strategy& strategy);
};

std::span<const StrategyOption> all_strategy_options();

/// The row of that name; null: it is none.
const StrategyOption* strategy_option(std::string_view name);

}  // namespace oracle
