#include "validate/train/program.h"

#include <ostream>

#include "oracle/base/error.h"
#include "oracle/cli/help.h"
#include "oracle/cli/output.h"
#include "oracle/cli/run.h"
#include "validate/train/result.h"
#include "validate/train/training.h"

namespace oracle {
namespace {

using cli::ExitCode;
using Words = std::span<const char* const>;

bool asks_for_help(Words args) {
  for (const std::string_view word : args) {
    if (word == "--help" || word == "-h") return true;
  }
  return false;
}

void check_ranks(const Plan& plan, int started) {
  if (plan.ranks() == started) return;
  throw InputError(
      "--strategy",
      "it has " + std::to_string(plan.ranks()) + " ranks, and " + std::to_string(started) +
          " were started",
      "start as many: mpirun -np " + std::to_string(plan.ranks()) + " oracle-train ...");
}

std::vector<RankRecord> gathered(const RankRecord& record, Communicator& communicator) {
  std::vector<RankRecord> records;
  for (const std::string& text : communicator.gather(to_text(record), "results of all ranks")) {
    records.push_back(parse_record(text));
  }
  return records;
}

ExitCode answer(Words args, Communicator& communicator, std::ostream& out) {
  const TrainRequest request = read_request(args);
  const auto planned =
      partition(request.graph, request.strategy, request.training, request.cluster);
  const bool first = communicator.rank() == 0;
  if (const auto* refusal = std::get_if<Infeasible>(&planned)) {
    if (first) out << to_text(*refusal) << '\n';
    return ExitCode::no;
  }
  const Plan& plan = std::get<Plan>(planned);
  check_ranks(plan, communicator.size());
  const std::vector<BackendRow> backends = all_backends();
  ensure(!backends.empty(), "oracle-train is built where there are kernels");
  const MakeBackend make_backend = [&] { return backends.front().make(request.threads); };
  const RunContext context = run_context(args, *make_backend(), communicator, request.threads);
  TrainingRun run{request.graph, plan, request.cluster, request.steps, {}, request.check ? 1 : 0};
  run.options.seed = request.seed;
  run.options.optimizer = optimizer_step(plan.training.optimizer, request.rate);
  const std::vector<RankRecord> records =
      gathered(train(run, make_backend, communicator), communicator);
  ExitCode code = ExitCode::answered;
  if (first) {
    const Outcome outcome = outcome_of(request.graph, plan, request.cluster, records);
    if (request.out) {
      cli::write_file(*request.out, result_json(context, request, plan, outcome));
    }
    cli::write_stream(out, summary_text(request, plan, outcome));
    if (outcome.check && !outcome.check->holds()) code = ExitCode::no;
  }
  return code;
}

}  // namespace

int run_train(Words args, std::ostream& out, std::ostream& err) {
  if (asks_for_help(args)) {
    cli::write_stream(out, cli::help_text(train_command()));
    return static_cast<int>(ExitCode::answered);
  }
  ExitCode code = ExitCode::defect;
  bool prints = true;
  try {
    const std::vector<CommunicatorRow> rows = all_communicators();
    ensure(!rows.empty(), "oracle-train is built where there is a communicator");
    const auto communicator = rows.front().make({watchdog_seconds(args)});
    prints = communicator->rank() == 0;
    try {
      code = answer(args, *communicator, out);
    } catch (const InputError& error) {
      for (const Problem& problem : error.problems()) {
        if (prints) err << "oracle-train: " << to_text(problem) << '\n';
      }
      code = ExitCode::not_understood;
    }
  } catch (const EnvironmentError& error) {
    err << "oracle-train: " << error.what() << '\n';
    code = ExitCode::surroundings;
  } catch (const std::exception& error) {
    err << "oracle-train: our own defect; please report it with the command line: " << error.what()
        << '\n';
  }
  return static_cast<int>(code);
}

}  // namespace oracle
