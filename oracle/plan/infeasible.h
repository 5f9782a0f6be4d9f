#pragma once
// Why can a strategy not run? A value with need, have and remedy, decided before any time is.

#include <cstdint>
#include <string>
#include <string_view>

namespace oracle {

enum class Constraint : std::uint8_t {
  batch,           ///< more sample groups than samples
  filters,         ///< more ranks than output features
  channels,        ///< more ranks than input features
  extent,          ///< more ranks than positions along an axis
  halo,            ///< a piece is thinner than the halo its neighbour needs
  layers,          ///< more pipeline stages than layers
  micro_batches,   ///< the batch does not split into that many micro-batches
  ranks,           ///< more ranks than the cluster has
  number_format,   ///< the device does not compute in that format
  shared_weights,  ///< layers that use one weight hold different parts of it
  shards,          ///< ranks that share weights do not fall into groups of so many
  exchange,        ///< gradients do not travel in that way with the other options
  host,            ///< nothing can be offloaded to it
  memory,          ///< a step needs more memory than a rank has
};
inline constexpr std::size_t kConstraintCount = 14;
std::string_view name_of(Constraint constraint);

struct Infeasible {
  Constraint constraint = Constraint::memory;
  std::string subject;  ///< the layer, or "device memory"
  double needed = 0;
  double available = 0;
  std::string unit;  ///< "filters", "samples", "B" …
  std::string remedy;
  bool operator==(const Infeasible&) const = default;
};

/// "layer fc8: needs 2048 filters, has 1000; use at most filter:1000 there, or leave it whole: …"
std::string to_text(const Infeasible& infeasible);

}  // namespace oracle
