#pragma once
// What did a profiler record of one rank?
//
// The operations that its GPU ran, with the operation of the host that launched each; the marks
// that the training loop left; how much memory the allocator held. Times are whole nanoseconds from
// the recording's own origin. The reader is io/traces/kineto_reader.h.
//                                                           tests/record/traced_step_test.cpp

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "oracle/base/units.h"

namespace oracle {

struct TraceSpan {
  std::int64_t begin = 0, end = 0;  ///< [ns]
};

enum class TracedKind : std::uint8_t { kernel, copy };

inline constexpr std::uint32_t kNothing = 0xffffffff;

/// What the GPU ran: a kernel, or a copy or fill of memory.
struct TracedOperation {
  TraceSpan time;
  std::int64_t launched = 0;  ///< by the host; `time.begin` where the trace does not say
  std::uint32_t name = kNothing;
  std::uint32_t host = kNothing;        ///< of Trace::host; kNothing: not linked
  std::uint32_t collective = kNothing;  ///< of Trace::collectives
  TracedKind kind = TracedKind::kernel;
};

/// What an operation of the host is called with. Dimensions, types and values as the trace writes
/// them, without blanks: "[[8,64],[64,32]]".
struct TracedCall {
  std::string name;                 ///< "aten::addmm"
  std::string dims, types, values;  ///< empty where shapes were not recorded
  bool operator==(const TracedCall&) const = default;
};

/// An operation of the host that launched something.
struct HostOperation {
  TraceSpan time;
  std::uint32_t call = kNothing;      ///< of Trace::calls
  std::uint32_t backward = kNothing;  ///< of Trace::backward: the node that it is part of
};

/// What a kernel of NCCL says of its collective (PyTorch 2.2 and later).
struct TracedCollective {
  std::string name;                                ///< "allreduce", "_allgather_base"
  std::string type;                                ///< "Float", "BFloat16"
  std::int64_t in_elements = 0, out_elements = 0;  ///< of one rank's buffers
  std::int64_t ranks = 0;
  bool operator==(const TracedCollective&) const = default;
};

struct Trace {
  std::string device;        ///< "NVIDIA A100-SXM4-80GB"; empty where it is not said
  std::int64_t devices = 0;  ///< GPUs that the process saw
  std::int64_t rank = 0;
  std::int64_t ranks = 0;                   ///< of the whole job; 0: not said
  std::string backend;                      ///< "nccl"
  std::vector<std::string> names;           ///< of kernels, copies and nodes
  std::vector<TracedOperation> operations;  ///< by begin
  std::vector<TracedCall> calls;
  std::vector<HostOperation> host;
  std::vector<std::uint32_t> backward;  ///< nodes of the backward pass, by their names
  std::vector<TracedCollective> collectives;
  std::vector<TraceSpan> steps;                        ///< of ProfilerStep#N on the host, by begin
  std::vector<TraceSpan> updates;                      ///< of Optimizer.step on the host, by begin
  std::optional<Bytes> most_allocated, most_reserved;  ///< on the GPU, where memory was recorded
};

}  // namespace oracle
