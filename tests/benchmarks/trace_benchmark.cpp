// How fast is a trace of torch.profiler read? Figures of oracle/io/traces/README.md.

#include <benchmark/benchmark.h>
#include <sstream>
#include <string>

#include "oracle/io/traces/kineto_reader.h"
#include "oracle/record/traced_step.h"

namespace oracle {
namespace {

/// Steps of 100 kernels, each with its launch and its operation of the host.
std::string made_trace(std::int64_t events) {
  std::ostringstream out;
  out << R"({"schemaVersion": 1, "traceEvents": [)";
  constexpr std::int64_t kEventsPerKernel = 3, kKernelsPerStep = 100;
  for (std::int64_t i = 0; i < events / kEventsPerKernel; ++i) {
    const std::int64_t at = 20 * i;
    if (i % kKernelsPerStep == 0) {
      out << R"({"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#)" << i
          << R"(", "pid": 1, "tid": 1, "ts": )" << at << R"(.000, "dur": 1990.000},)" << '\n';
    }
    out << R"({"ph": "X", "cat": "cpu_op", "name": "aten::addmm", "pid": 1, "tid": 1, "ts": )" << at
        << R"(.125, "dur": 9.250, "args": {"External id": )" << i
        << R"(, "Sequence number": 7, "Fwd thread id": 0, "Record function id": 0, )"
        << R"("Concrete Inputs": ["", "", "", "1", "1"], "Input type": ["float", "float", )"
        << R"("float", "Scalar", "Scalar"], "Input Strides": [[1], [64, 1], [1, 64], [], []], )"
        << R"("Input Dims": [[10], [16, 64], [64, 10], [], []], "Ev Idx": )" << i << "}},\n"
        << R"({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, )"
        << R"("ts": )" << at << R"(.500, "dur": 4.000, "args": {"External id": )" << i
        << R"(, "cbid": 211, "correlation": )" << i << "}},\n"
        << R"({"ph": "X", "cat": "kernel", "name": "ampere_sgemm_32x32_sliced1x4_tn", "pid": 0, )"
        << R"("tid": 7, "ts": )" << at + 10 << R"(.000, "dur": 8.001, "args": {"External id": )"
        << i << R"(, "queued": 0, "device": 0, "context": 1, "stream": 7, "correlation": )" << i
        << R"(, "registers per thread": 90, "shared memory": 16384, "blocks per SM": 0.75, )"
        << R"("warps per SM": 6.0, "grid": [1, 1, 60], "block": [256, 1, 1], )"
        << R"("est. achieved occupancy %": 9}})" << (i + 1 < events / 3 ? ",\n" : "\n");
  }
  out << "]}\n";
  return out.str();
}

void read_trace(benchmark::State& state) {
  const std::string text = made_trace(state.range(0));
  for (auto _ : state) {
    std::istringstream stream(text);
    benchmark::DoNotOptimize(read_kineto(stream, "made.json"));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(read_trace)->Arg(100'000)->Unit(benchmark::kMillisecond);

void sum_up_trace(benchmark::State& state) {
  std::istringstream stream(made_trace(state.range(0)));
  const Trace trace = read_kineto(stream, "made.json");
  for (auto _ : state) benchmark::DoNotOptimize(traced_step(trace));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(sum_up_trace)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace oracle
