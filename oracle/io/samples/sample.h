#pragma once
// What does one measured case carry, whatever was measured?
//
// A case says what was asked (its shapes), then what came of it: numbers, or the text of a failure.
// A number that was not measured is absent, never zero. Times come as median, 10th and 90th
// percentile of repeated calls.
//
// Worked: "us": [23.11, 22.99, 24.57, 22.95] is a device time of 23.11 us, nine in ten calls below
// 24.57 us, and 22.95 us on the CPU                   tests/io/samples/torch_cpu_test.cpp

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "oracle/base/units.h"

namespace oracle::samples {

enum class Format : std::uint8_t { fp32, tf32, fp16, bf16, fp8 };
/// How a network computes. `amp`: matrix products in bf16 over fp32 parameters; `bf16`: everything.
enum class Mode : std::uint8_t { fp32, tf32, amp, bf16 };
enum class How : std::uint8_t { eager, graph, compile };
/// Order of a tensor's axes in memory.
enum class Order : std::uint8_t { nchw, nhwc };

std::string_view name_of(Format format);
std::string_view name_of(Mode mode);
std::string_view name_of(How how);

struct Spread {
  Seconds median, p10, p90;
};

/// One call: the device's time, and what it costs the CPU.
struct Timing {
  Spread device;
  Seconds host;
};

/// One start of the measuring program: when, on what, with which versions. What the device or the
/// version does not report is empty.
struct Run {
  std::string part;
  std::string started;  ///< UTC
  std::string device;   ///< as PyTorch names it: "NVIDIA H200", "cpu"
  bool tiny = false;    ///< small sizes, to try the program
  std::optional<Seconds> budget, duration;
  std::string capability, driver_version, cuda, cudnn, nccl, torch, torchvision, python, cpu;
  std::optional<std::int64_t> multiprocessors, cores;
  std::optional<Bytes> memory, l2_cache, used_by_context;
  std::map<std::string, std::string> clocks_before, clocks_after;  ///< fields of nvidia-smi
};

struct Failure {
  std::string error;
  bool out_of_memory = false;
  bool fatal = false;  ///< the process was lost or the case took too long
};

template <typename Asked, typename Found>
struct Sample {
  Asked asked;
  std::optional<Found> found;  ///< absent where it failed
  std::optional<Failure> failure;
  std::size_t run = 0;            ///< of Samples::runs
  std::optional<Seconds> effort;  ///< what measuring it took
  int line = 0;                   ///< in its file
};

}  // namespace oracle::samples
