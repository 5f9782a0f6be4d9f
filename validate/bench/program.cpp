#include "validate/bench/program.h"

#include <algorithm>
#include <ostream>

#include "microbench/kernels/cpu/cpu_backend.h"
#include "oracle/base/error.h"
#include "oracle/cli/help.h"
#include "oracle/cli/output.h"
#include "oracle/cli/run.h"
#include "validate/bench/step_report.h"
#include "validate/equivalence/solo.h"

namespace oracle {
namespace {

using cli::ExitCode;
using Words = std::span<const char* const>;

RunContext context_of(Words args) {
  const Solo alone;
  RunContext context = run_context(args, *make_cpu_backend(1), alone, 1);
  context.command = "oracle-bench-step";
  for (const char* word : args) context.command += std::string(" ") + word;
  return context;
}

ExitCode answer(Words args, std::ostream& out) {
  const StepBenchRequest request = read_step_bench_request(args);
  const RunContext context = context_of(args);
  std::optional<Beside> beside;
  if (request.beside) beside.emplace(*request.beside);
  const StepBench bench = measure_step(request, beside ? &*beside : nullptr);
  if (request.out) cli::write_file(*request.out, step_bench_json(request, bench, context));
  cli::write_stream(out, step_bench_text(request, bench, context));
  const std::vector<BarVerdict> bars = verdicts(request, bench);
  const bool holds =
      std::all_of(bars.begin(), bars.end(), [](const BarVerdict& bar) { return bar.holds(); });
  return holds ? ExitCode::answered : ExitCode::no;
}

}  // namespace

int run_step_bench(Words args, std::ostream& out, std::ostream& err) {
  for (const std::string_view word : args) {
    if (word != "--help" && word != "-h") continue;
    cli::write_stream(out, cli::help_text(step_bench_command()));
    return static_cast<int>(ExitCode::answered);
  }
  try {
    return static_cast<int>(answer(args, out));
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems()) {
      err << "oracle-bench-step: " << to_text(problem) << '\n';
    }
    return static_cast<int>(ExitCode::not_understood);
  } catch (const EnvironmentError& error) {
    err << "oracle-bench-step: " << error.what() << '\n';
    return static_cast<int>(ExitCode::surroundings);
  } catch (const std::exception& error) {
    err << "oracle-bench-step: our own defect; please report it with the command line: "
        << error.what() << '\n';
    return static_cast<int>(ExitCode::defect);
  }
}

}  // namespace oracle
