#include "validate/train/program.h"

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <ostream>

#include "oracle/base/error.h"
#include "oracle/base/whole_file.h"
#include "oracle/cli/output.h"
#include "oracle/cli/progress_line.h"
#include "oracle/cli/run.h"
#include "validate/train/input.h"
#include "validate/train/result.h"
#include "validate/train/resume.h"
#include "validate/train/training.h"

namespace oracle {
namespace {

using Words = std::span<const char* const>;

void check_ranks(const TrainRequest& request, int started) {
  const std::int64_t ranks = request.strategy.ranks();
  if (ranks == started) return;
  throw InputError(request.plan ? request.plan->name : "--strategy",
                   "it has " + std::to_string(ranks) + " ranks, and " + std::to_string(started) +
                       " were started",
                   "start as many: mpirun -np " + std::to_string(ranks) + " oracle-train ...");
}

/// What is run is what was priced.
void check_plan(const TrainRequest& request) {
  if (!request.plan || !request.plan->priced) return;
  const Evaluation now = evaluate(request.graph, request.cluster, Profile{}, request.strategy,
                                  request.training, Detail::events);
  if (now.fits() == nullptr) return;
  require_same_plan(request.plan->name, *request.plan->priced,
                    prediction_of(request.graph, request.cluster, now));
}

std::vector<RankRecord> gathered(const RankRecord& record, Communicator& communicator) {
  std::vector<RankRecord> records;
  for (const std::string& text : communicator.gather(to_text(record), "results of all ranks")) {
    records.push_back(parse_record(text));
  }
  return records;
}

/// What rank 0 has to say, once the ranks have parted.
struct Said {
  ExitCode code = ExitCode::answered;
  std::string text;
  std::optional<std::string> file;
  std::string result;  ///< into the file
};

/// Whom oracle validate has asked to say how far it is.
cli::Progress watched_by(std::ostream& err, const Communicator& communicator) {
  const bool watched = std::getenv(kWatched) != nullptr && communicator.rank() == 0;
  return {watched ? &err : nullptr};
}

Said answer(Words args, Communicator& communicator, std::ostream& err) {
  const TrainRequest request = read_request(args);
  const auto planned =
      partition(request.graph, request.strategy, request.training, request.cluster);
  if (const auto* refusal = std::get_if<Infeasible>(&planned)) {
    return {ExitCode::no, to_text(*refusal) + '\n', {}, {}};
  }
  const Plan& plan = std::get<Plan>(planned);
  check_ranks(request, communicator.size());
  check_plan(request);
  const RunInput input = open_input(request, communicator);
  require_own_folder(request);
  const std::optional<CheckpointFile> resumed =
      open_checkpoint(request, input.text, communicator, err);
  const BackendRow backend = backend_for(request.device, plan.training.precision.name);
  const MakeBackend make_backend = [&] { return backend.make(request.threads); };
  RunContext context =
      run_context(train_command().program, args, *make_backend(), communicator, request.threads);
  if (request.sharing.ranks > 1) context.sharing = to_text(request.sharing);
  TrainingRun run{request.graph,         plan,           request.cluster, request.steps, {},
                  request.check ? 1 : 0, request.warm_up};
  run.resumed = resumed ? &*resumed : nullptr;
  run.checkpoints = request.checkpoints;
  run.data = input.text;
  run.warm_up = std::min(request.warm_up, request.steps - run.first_step());
  run.options.seed = request.seed;
  run.options.squares = request.noise_scale;
  run.options.rate_warm_up = request.rate_warm_up;
  run.options.samples = input.samples();
  if (request.replays) run.options.replay_after = steps_before_replay(request);
  run.options.optimizer = optimizer_step(plan.training.optimizer, request.rate);
  cli::ProgressLine line(watched_by(err, communicator), "steps");
  run.watch = line.callback();
  const RankRecord record = train(run, make_backend, communicator);
  line.clear();
  const std::vector<RankRecord> records = gathered(record, communicator);
  if (communicator.rank() != 0) return {};
  Outcome outcome = outcome_of(request.graph, plan, request.cluster, records);
  outcome.first_step = run.first_step();
  outcome.warm_up = run.warm_up;
  context.speed = median_after(outcome.speeds, untimed_steps(outcome, run.warm_up));
  const bool differs = outcome.check && !outcome.check->holds();
  return {differs ? ExitCode::no : ExitCode::answered, summary_text(request, input, plan, outcome),
          request.out, result_json(context, request, input, plan, outcome)};
}

/// Words that are not understood are so on every rank: the ranks part in order, and rank 0 says
/// what is wrong. Whatever else fails ends the others at once.
Said answer_of_all(Words args, bool& first, std::ostream& err) {
  const CommunicatorRow row = communicator_for(training_device(args));
  // The back ends look for it, each in a library of its own (microbench/modules/local_place.h).
  if (const auto ranks = ranks_per_gpu(args)) {
    setenv("ORACLE_RANKS_PER_GPU", std::to_string(*ranks).c_str(), 1);
  }
  std::exception_ptr problem;
  Said said;
  {
    const auto communicator = row.make({watchdog_seconds(args)});
    first = communicator->rank() == 0;
    try {
      said = answer(args, *communicator, err);
    } catch (const InputError&) {
      problem = std::current_exception();
      said.code = ExitCode::not_understood;
    }
  }
  if (problem != nullptr && first) std::rethrow_exception(problem);
  return said;
}

}  // namespace

int run_train(Words args, std::ostream& out, std::ostream& err) {
  return cli::run_program(train_command(), args, out, err, [&] {
    bool first = true;
    const Said said = answer_of_all(args, first, err);
    // A launcher kills the others as soon as one leaves with another code; rank 0 leaves for all.
    if (!first) return ExitCode::answered;
    if (said.file) write_file(*said.file, said.result);
    cli::write_stream(out, said.text);
    return said.code;
  });
}

}  // namespace oracle
