#pragma once
// What does a trace of PyTorch's profiler hold?
//
// `prof.export_chrome_trace(file)` writes one JSON object: "deviceProperties" (before PyTorch 1.9
// "computeProperties"), "distributedInfo" of a process group, and "traceEvents". Of these count
//
//   "cat" of 2.x, 1.x         is                    and of its "args"
//   kernel, Kernel            a kernel              correlation, External id, device; of NCCL's the
//                                                   collective, since 2.2
//   gpu_memcpy, Memcpy        a copy or fill        the same
//   gpu_memset, Memset
//   cuda_runtime, Runtime     a launch              correlation, External id
//   cpu_op, Operator          an operation of the   External id; with record_shapes=True Input
//   Dims,
//                             host                  Input type, and since 2.1 Concrete Inputs
//   user_annotation           ProfilerStep#N, Optimizer.step#NAME
//   [memory]                  the allocator         Total Allocated, Total Reserved, Device Type 1
//
// "ts" and "dur" are microseconds, integers in 1.x and thousandths since. A kernel was launched by
// the host's operation of the same External id; where it has none, its launch has. The file is read
// once and never held. What stays: 56 bytes for a kernel, 24 for a launch, 36 for an operation of
// the host.
//
// Worked: "ts": 88511388202.785, "dur": 0.020 lasts 20 ns   tests/io/traces/kineto_reader_test.cpp

#include <filesystem>
#include <istream>
#include <string>

#include "oracle/record/trace.h"

namespace oracle {

/// Whether a file looks like a trace, if only like one that read_kineto() refuses: compressed, or
/// of a PyTorch without Kineto. Throws EnvironmentError where it cannot be read.
bool is_kineto_trace(const std::filesystem::path& file);

/// `name` is the file's, in messages. Throws InputError for what is no trace of one rank's GPU: not
/// JSON, cut short, compressed, without kernels, with kernels on several GPUs.
Trace read_kineto(std::istream& stream, const std::string& name);

/// Throws EnvironmentError where the file cannot be read, too.
Trace load_kineto(const std::filesystem::path& file);

}  // namespace oracle
