#include "validate/bench/program.h"

#include <algorithm>
#include <ostream>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/whole_file.h"
#include "oracle/cli/output.h"
#include "oracle/cli/run.h"
#include "validate/bench/step_report.h"
#include "validate/equivalence/solo.h"

namespace oracle {
namespace {

using Words = std::span<const char* const>;

ExitCode answer(Words args, std::ostream& out) {
  const StepBenchRequest request = read_step_bench_request(args);
  const RunContext context =
      run_context(step_bench_command().program, args, *make_cpu_backend(1), Solo(), 1);
  std::optional<Beside> beside;
  if (request.beside) beside.emplace(*request.beside);
  const StepBench bench = measure_step(request, beside ? &*beside : nullptr);
  if (request.out) write_file(*request.out, step_bench_json(request, bench, context));
  cli::write_stream(out, step_bench_text(request, bench, context));
  const std::vector<BarVerdict> bars = verdicts(request, bench);
  const bool holds =
      std::all_of(bars.begin(), bars.end(), [](const BarVerdict& bar) { return bar.holds(); });
  return holds ? ExitCode::answered : ExitCode::no;
}

}  // namespace

int run_step_bench(Words args, std::ostream& out, std::ostream& err) {
  return cli::run_program(step_bench_command(), args, out, err, [&] { return answer(args, out); });
}

}  // namespace oracle
