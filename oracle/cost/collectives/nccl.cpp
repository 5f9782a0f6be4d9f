#include "oracle/cost/collectives/nccl.h"

#include <algorithm>

#include "oracle/base/error.h"
#include "oracle/cost/collectives/levels.h"

namespace oracle {
namespace {

/// Latency of a step by protocol, as a part of a Simple ring's.
struct StepParts {
  std::array<double, 3> ring, tree;
};

constexpr std::size_t kLl = 0, kLl128 = 1, kSimple = 2;

// NCCL 2.18, graph/tuning.cc, in us:  NVLink  ring 0.6, 1.9, 3.4   tree 0.6, 1.25, 4
//                                     PCIe    ring 1.0, 2.5, 5.7   tree 1.0, 1.9, 4
//                                     network ring 2.7, 4.0, 14    tree 5.0, 8.5, 14
constexpr StepParts kNvlinkSteps{{0.6 / 3.4, 1.9 / 3.4, 1}, {0.6 / 3.4, 1.25 / 3.4, 4 / 3.4}};
constexpr StepParts kPcieSteps{{1.0 / 5.7, 2.5 / 5.7, 1}, {1.0 / 5.7, 1.9 / 5.7, 4 / 5.7}};
constexpr StepParts kNetworkSteps{{2.7 / 14, 4.0 / 14, 1}, {5.0 / 14, 8.5 / 14, 1}};

constexpr std::array<Seconds, 3> kRingStart = {{Seconds{6.6e-6}, Seconds{14e-6}, Seconds{8.4e-6}}};
constexpr std::array<Seconds, 3> kTreeStart = {{Seconds{6.8e-6}, Seconds{14e-6}, Seconds{8.4e-6}}};
constexpr std::array<double, 3> kRingBandwidth = {0.5, 0.92, 1};
constexpr std::array<double, 3> kTreeBandwidth = {1 / 3.8, 0.94, 0.92};
constexpr double kTreeBandwidthInANode = 0.78;  ///< of LL128
/// How much longer a Simple ring across nodes waits for each step.
constexpr double kPlateau = 1.4;

const StepParts& steps_of(Fabric fabric, std::size_t level) {
  switch (fabric) {
    case Fabric::nvlink:
      return kNvlinkSteps;
    case Fabric::pcie:
    case Fabric::host:
      return kPcieSteps;
    case Fabric::unknown:
      return level == 0 ? kPcieSteps : kNetworkSteps;
    default:
      return kNetworkSteps;
  }
}

Group with_latencies(Group group, bool ring, std::size_t protocol) {
  const bool waits = ring && protocol == kSimple && group.levels > 1;
  for (std::size_t l = 0; l < group.levels; ++l) {
    GroupLevel& level = group.level[l];
    const StepParts& steps = steps_of(level.fabric, l);
    level.latency =
        level.latency * ((ring ? steps.ring : steps.tree)[protocol] * (waits ? kPlateau : 1));
  }
  return group;
}

Group with_bandwidth(Group group, double part) {
  for (std::size_t l = 0; l < group.levels; ++l) scale_bandwidth(group.level[l], part);
  return group;
}

/// Of the hops of one pass around the ring but the last, by the highest level each crosses.
Seconds ring_latency(const Group& group) {
  Seconds sum;
  std::int64_t units = group.size;
  for (std::size_t l = 0; l < group.levels; ++l) {
    const bool top = l + 1 == group.levels;
    const std::int64_t members = group.level[l].members;
    const std::int64_t above = top ? 1 : (group.size + members - 1) / members;
    sum += group.level[l].latency * static_cast<double>(units - above);
    units = above;
  }
  return sum;
}

double passes_of(Collective collective) { return collective == Collective::all_reduce ? 2 : 1; }

Group without_latencies(Group group) {
  for (std::size_t l = 0; l < group.levels; ++l) group.level[l].latency = Seconds{};
  return group;
}

}  // namespace

double reached(Fabric fabric) {
  switch (fabric) {
    case Fabric::nvlink:
      return 0.77;
    case Fabric::infiniband:
    case Fabric::slingshot:
      return 0.96;
    case Fabric::staged:
      return 0.4;
    case Fabric::sockets:
      return 0.9;
    default:
      return 1;
  }
}

Group reached(Group group) {
  for (std::size_t l = 0; l < group.levels; ++l) {
    scale_bandwidth(group.level[l], reached(group.level[l].fabric));
  }
  return group;
}

void NcclPrices::add(const Algorithm& algorithm, const Group& group, Seconds start) {
  const Seconds none = algorithm.time(Bytes{}, group);
  constexpr Bytes kMany{1e9};
  ensure(count_ < lines_.size(), "NCCL has more algorithms than lines");
  lines_[count_++] = {&algorithm, none + start,
                      ((algorithm.time(kMany, group) - none) / kMany.value).value};
}

NcclPrices::NcclPrices(const Group& placed) {
  const Group group = reached(placed);
  const bool across = group.levels > 1;
  const bool long_lines = group.level[0].fabric == Fabric::nvlink;
  for (const Algorithm& algorithm : all_algorithms()) {
    const bool ring = algorithm.name == "ring", tree = algorithm.name == "double_tree";
    if (!algorithm.applies(group)) continue;
    if (!ring && !tree) {
      add(algorithm, group, kRingStart[kSimple]);
      continue;
    }
    for (std::size_t protocol = kLl; protocol <= kSimple; ++protocol) {
      if (protocol == kLl128 && !long_lines) continue;
      double part = ring ? kRingBandwidth[protocol] : kTreeBandwidth[protocol];
      if (tree && protocol == kLl128 && !across) part = kTreeBandwidthInANode;
      const Group run = with_latencies(with_bandwidth(group, part), ring, protocol);
      if (tree) {
        add(algorithm, run, kTreeStart[protocol]);
      } else {
        add(algorithm, without_latencies(run),
            kRingStart[protocol] + passes_of(algorithm.serves) * ring_latency(run));
      }
    }
  }
  list_by_collective();
}

/// Those of one collective in the order of the table.
void NcclPrices::list_by_collective() {
  const auto collective_of = [](const Line& line) {
    return static_cast<std::size_t>(line.algorithm->serves);
  };
  const auto end = lines_.begin() + static_cast<std::ptrdiff_t>(count_);
  std::stable_sort(lines_.begin(), end, [&](const Line& one, const Line& other) {
    return collective_of(one) < collective_of(other);
  });
  for (std::size_t i = 0; i < count_; ++i) {
    Lines& lines = lines_of_[collective_of(lines_[i])];
    if (lines.end == 0) lines.first = i;
    lines.end = i + 1;
  }
}

NcclPrices::Choice NcclPrices::choose(Collective collective, Bytes bytes,
                                      std::string_view name) const {
  const auto best = [&](auto&& take) {
    Choice choice;
    const Lines& lines = lines_of_[static_cast<std::size_t>(collective)];
    for (std::size_t i = lines.first; i < lines.end; ++i) {
      const Line& line = lines_[i];
      if (!take(line)) continue;
      const Seconds time = line.start + Seconds{bytes.value * line.per_byte};
      if (choice.algorithm == nullptr || time < choice.time) choice = {line.algorithm, time};
    }
    return choice;
  };
  Choice choice;
  if (name != "auto") choice = best([&](const Line& line) { return line.algorithm->name == name; });
  if (choice.algorithm == nullptr)
    choice = best([](const Line& line) { return line.algorithm->offered.nccl; });
  ensure(choice.algorithm != nullptr, "NCCL has no algorithm for this collective");
  return choice;
}

}  // namespace oracle
