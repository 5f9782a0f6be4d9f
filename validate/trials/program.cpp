#include "validate/trials/program.h"

#include <ostream>
#include <sstream>

#include "oracle/cli/output.h"
#include "oracle/cli/run.h"
#include "oracle/report/format/format.h"
#include "validate/trials/trials.h"

namespace oracle {
namespace {

ExitCode answer(std::span<const char* const> args, std::ostream& out) {
  const TrialsRequest request = read_trials_request(args);
  std::ostringstream page;
  report::write_table(trials_document(request, run_trials(request)), {}, page);
  cli::write_stream(out, page.str());
  return ExitCode::answered;
}

}  // namespace

int run_trials_program(std::span<const char* const> args, std::ostream& out, std::ostream& err) {
  return cli::run_program(trials_command(), args, out, err, [&] { return answer(args, out); });
}

}  // namespace oracle
