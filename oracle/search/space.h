#pragma once
// Which strategies are there for N ranks?
//
// All ordered factorizations of N into at most `most_axes` factors > 1, each factor cut one way, in
// every order, no way twice; of a text into four as well, but in one order: pipeline, data, parts
// of the text or experts, tensor. The serial plan for N = 1. A pipeline of S stages comes with 1,
// 2, 4 and 8 micro-batches per stage and with micro-batches of 1, 2 and 4 samples, as far as all
// are of one size and to at most 512 in all, in the schedule of `base` (1f1b: gpipe needs more
// memory for the same bubble). On a network of blocks each rank has 1, 2 and 4 stages, or as many
// as it has blocks, or half as many, where all have as many. Tuned, several stages a rank come with
// zb_h1 as well where the framework has "schedule=zb_h1" among its options, as PyTorch does
// (ScheduleInterleavedZeroBubble, of two stages and more). The order of the list is fixed.
//
// Each of these is a family (evaluate/family.h): where options are to be tried, its variants are
// base's own options, then all combinations of those given, but other schedules only of pipelines.
//
// Worked: N = 8, three ways to cut: 3 of one axis, 12 of two (2·4 and 4·2), 6 of three (2·2·2): 21.
// Tuned on GPUs: 9 buckets × overlap or not × 4 exchanges, and base's own: 73 variants of each
//                                                                        tests/search/space_test.cpp

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/cluster/device.h"
#include "oracle/cluster/framework.h"
#include "oracle/evaluate/family.h"
#include "oracle/graph/graph.h"
#include "oracle/plan/strategy/strategy.h"

namespace oracle {

struct SpaceOptions {
  std::size_t most_axes = 3;
  std::vector<Cut> cuts = {
      Cut::sample,           Cut::spatial, Cut::context,   Cut::ulysses,
      Cut::filter,           Cut::channel, Cut::alternate, Cut::alternate_sequence,
      Cut::alternate_expert, Cut::expert,  Cut::pipeline};
  /// As many axes as well, outermost first those that send least.
  std::size_t most_in_order = 0;
  // Options to try on every strategy; none: base's own.
  std::vector<Bytes> buckets{};
  std::vector<std::string_view> exchanges{};  ///< names of all-reduce algorithms, or "auto"
  std::vector<bool> overlaps{};
  std::vector<PipelineSchedule> schedules{};
  /// Stages of each rank of a pipeline, where micro-batches are a multiple of its ranks; none, or
  /// base has several: base's own.
  std::vector<std::int64_t> chunks{};
  std::int64_t most_stages = 0;  ///< of a pipeline whose ranks have several
  /// These also run backward in two turns (zb_h1), unless base has another order than 1f1b.
  bool parts_backward = false;
  // What may save memory beside base's own (savings.h).
  std::int64_t most_micro_batches = 1;        ///< without a pipeline
  std::vector<std::string_view> recompute{};  ///< ascending in what they save
  int most_zero = 0;
  /// Names of options that nothing but base's own is tried of: "zero", "chunks".
  std::vector<std::string> fixed{};
  bool every_saving = false;  ///< also where a strategy fits with less

  bool is_fixed(std::string_view option) const {
    return std::find(fixed.begin(), fixed.end(), option) != fixed.end();
  }
};

/// Lets `options` try what changes the gradient exchange on such a device, where the framework has
/// a switch for it: buckets of 1, 2, 4 … 256 MiB, the exchanges its library has or can be asked
/// for, overlap, both schedules that run backward in one turn, and zb_h1 of several stages a rank.
void tune(const Device& device, const Framework& framework, SpaceOptions& options);

/// The options without axes that the network lacks, and of a text without filter and channel where
/// tensor is among them, unless none is left: a refusal says so then. Of a text with several stages
/// a rank, and with what saves memory.
SpaceOptions on_network(const Graph& graph, const SpaceOptions& options);

/// Whether a mesh axis is refused whatever others stand beside it.
using RefusesAxis = std::function<bool(const MeshAxis&)>;

/// Calls `visit(strategy, refused)` with every strategy of the space in its order, options copied
/// from `base`; `refused`: an axis of it that is, or null.
void for_each_strategy(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                       const SpaceOptions& options, const RefusesAxis& refuses,
                       const std::function<void(const Strategy&, const MeshAxis*)>& visit);

/// Every strategy of the space, options (overlap, exchange, batch norm) copied from `base`.
std::vector<Strategy> strategy_space(std::int64_t ranks, std::int64_t batch, const Strategy& base,
                                     const SpaceOptions& options = {});

/// The variants of one of them, base's own first; `base` must outlive them.
std::vector<Variant> variants_of(const Strategy& strategy, const Strategy& base,
                                 const SpaceOptions& options = {});

}  // namespace oracle
