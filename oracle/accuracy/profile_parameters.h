#pragma once
// Of which figures does a profile consist, one by one?
//
//   device    what was measured of the device: its memory's bandwidth, the overhead of a launch
//   link      latency and bandwidth of each level and operation, what flows get together, and how
//             long one message takes at sizes that training sends, where those were measured
//   overlap   1 + each slowdown of Profile::overlap, where links were measured; how much longer
//             ranks on one device compute beside each other, and how long they wait for its memory,
//             of a kernel that moves 16 MiB
//   kernel    every kernel measured
//   storage   latency and rate of each operation
//
// A message is one of the operation's schedule, as LinkFit has it. A figure that was not measured
// is left out. One kind of figures is one function and one row of the table in
// profile_parameters.cpp.
//
// Worked: a link of 1 us and 5 GB/s: a message of 64 KiB takes 14.1 us
//                                                    tests/accuracy/profile_parameters_test.cpp

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "oracle/base/cost.h"
#include "oracle/cluster/cluster.h"
#include "oracle/cluster/profile.h"

namespace oracle {

enum class ParameterKind : std::uint8_t { device, link, overlap, kernel, storage };
inline constexpr std::size_t kParameterKindCount = 5;
std::string_view name_of(ParameterKind kind);

/// What a parameter's value is counted in: s, B/s, FLOP/s, or nothing.
enum class ParameterUnit : std::uint8_t { seconds, bytes_per_second, flops_per_second, ratio };

/// A figure, the kind of evidence for it and the relative half-width of its 90 % interval.
struct ParameterValue {
  double value = 0;
  Source source = Source::assumed;
  double uncertainty = 0;  ///< 0: no spread was kept
};

/// Which figure it is: equal keys are the same figure of two machines.
struct ParameterKey {
  ParameterKind kind = ParameterKind::device;
  std::string name;  ///< "memory_bandwidth", "all_reduce by ring over node", "dense forward fp32"
  std::string at;    ///< "latency", "64.0 KiB", "4×64 → 32"; empty: the name says all
  ParameterUnit unit = ParameterUnit::seconds;
  bool more_is_faster = false;
  auto operator<=>(const ParameterKey&) const = default;
};

struct ProfileParameter {
  ParameterKey key;
  ParameterValue value;
};

std::vector<ProfileParameter> parameters_of(const Cluster& cluster, const Profile& profile);

/// "dense forward fp32", "update adam fp32": what kernels of one fit have in common.
std::string kernel_family(const KernelKey& key);

}  // namespace oracle
