#pragma once
// A run of two layers on two ranks, as oracle-train writes it, and pieces to change.

#include <stdexcept>
#include <string>
#include <string_view>

#include "validate/record/measurement.h"

namespace oracle {

inline constexpr std::string_view kRunText = R"({
"schema": "oracle/run/1",
"context": {"command": "oracle-train two", "host": "a", "ranks": 2},
"model": "two", "cluster": "here", "ranks": 2, "strategy": "data:2", "batch": 8,
"precision": "fp32", "optimizer": "sgd", "rate": 0.1, "seed": 1, "steps": 4,
"losses": [2.5, 2.0, 1.5, 1.25],
"step_seconds": [9.0, 1.0, 3.0, 2.0], "median_step_seconds": 2.5,
"sent_bytes": 800, "items_sent_bytes": 800,
"peak_memory_bytes": 2000, "footprint_bytes": 1900,
"items": [
{"stage": 0, "item": "forward a", "phase": "forward", "pass": "forward", "layer": "a",
 "piece": "4×2x1", "seconds": 0.25, "sent_bytes": 0, "plan_bytes": 0},
{"stage": 0, "item": "backward_data a", "phase": "backward", "pass": "backward_data", "layer": "a",
 "piece": "4×2x1", "seconds": 0.5, "sent_bytes": 0, "plan_bytes": 0},
{"stage": 0, "item": "backward_weights a", "phase": "backward", "pass": "backward_weights",
 "layer": "a", "piece": "4×2x1", "seconds": 0.125, "sent_bytes": 0, "plan_bytes": 0},
{"stage": 0, "item": "all_reduce of a: weight gradient", "phase": "exchange", "layer": "a",
 "payload": "weight_gradient", "collective": "all_reduce", "seconds": 0.5, "sent_bytes": 400,
 "plan_bytes": 400},
{"stage": 0, "item": "update all weights", "phase": "update", "pass": "update",
 "layer": "all layers", "seconds": 0.0625, "sent_bytes": 0, "plan_bytes": 0}
]})";

/// kRunText with `from`, which must stand in it once, replaced.
inline std::string run_text_with(std::string_view from, std::string_view to) {
  std::string text(kRunText);
  const std::size_t at = text.find(from);
  if (at == std::string::npos || text.find(from, at + 1) != std::string::npos) {
    throw std::logic_error("not there once: " + std::string(from));
  }
  return text.replace(at, from.size(), to);
}

inline Measurement run_of(std::string_view text) {
  return parse_measurement(json::parse(text, "run.json"));
}

}  // namespace oracle
