#include "validate/train/training.h"

#include <algorithm>

#include "microbench/timing/speed_guard.h"
#include "oracle/plan/exchanges/gradient_exchange.h"
#include "validate/equivalence/differences.h"
#include "validate/equivalence/serial.h"
#include "validate/equivalence/solo.h"

namespace oracle {
namespace {

constexpr double kMomentum = 0.9;
constexpr double kSecondMoment = 0.999;

/// A serial run beside a distributed one.
class Beside {
 public:
  Beside(const TrainingRun& run, const MakeBackend& make_backend, double noise)
      : serial_(serial_run(run.graph, run.plan, run.cluster)), backend_(make_backend()) {
    ExecutorOptions options = run.options;
    options.ranges = serial_.ranges;
    options.noise = noise;
    options.replay_after = 0;
    options.squares = false;
    executor_ = std::make_unique<Executor>(run.graph, serial_.plan, *backend_, solo_, options);
  }

  StepRecord step(std::int64_t number) { return executor_->step(number); }
  const Executor& executor() const { return *executor_; }

 private:
  SerialRun serial_;
  std::unique_ptr<Backend> backend_;
  Solo solo_;
  std::unique_ptr<Executor> executor_;
};

/// What writes checkpoints of a run.
struct Checkpoints {
  StateCollector collector;
  CheckpointSaver saver;

  Checkpoints(const TrainingRun& run, const Executor& executor, Backend& backend,
              Communicator& communicator)
      : collector(run.graph, run.plan, executor, backend, communicator, run.options.optimizer),
        saver(*run.checkpoints, checkpoint_head(run), collector, executor, communicator) {}
};

/// With what this rank's pieces of the layers make of a micro-batch.
std::vector<RankStage> stages_of(const Program& program) {
  std::vector<RankStage> stages;
  for (const StageProgram& own : program.stages) {
    RankStage& stage = stages.emplace_back(RankStage{own.stage, own.first_item, 0});
    for (const Operation& operation : own.forward) {
      const auto* run = std::get_if<LayerRun>(&operation.what);
      if (run != nullptr) stage.values += program.kernels[run->kernel].layer.output.elements();
    }
  }
  return stages;
}

}  // namespace

OptimizerStep optimizer_step(const Optimizer& optimizer, double rate) {
  OptimizerStep step;
  step.rate = rate;
  if (optimizer.name != "sgd") step.momentum = kMomentum;
  if (optimizer.name == "adam") step.second_moment = kSecondMoment;
  return step;
}

CheckpointHead checkpoint_head(const TrainingRun& run) {
  CheckpointHead head;
  head.network = run.graph.name;
  head.optimizer = run.plan.training.optimizer.name;
  head.precision = run.plan.training.precision.name;
  head.data = run.data;
  head.seed = run.options.seed;
  head.batch = run.plan.training.batch;
  return head;
}

RankRecord train(const TrainingRun& run, const MakeBackend& make_backend,
                 Communicator& communicator) {
  const auto backend = make_backend();
  ExecutorOptions options = run.options;
  options.steps = run.steps;
  Executor executor(run.graph, run.plan, *backend, communicator, options);
  std::unique_ptr<Beside> serial, disturbed;
  if (run.checked_step > 0) {
    serial = std::make_unique<Beside>(run, make_backend, 0);
    disturbed = std::make_unique<Beside>(run, make_backend,
                                         rounding_of(run.plan.training.precision).disturbance);
  }
  if (run.resumed != nullptr) {
    executor.step(run.resumed->head().step);
    restore(*run.resumed, run.graph, run.options.optimizer, executor);
  }
  std::optional<Checkpoints> checkpoints;
  if (run.checkpoints) checkpoints.emplace(run, executor, *backend, communicator);
  std::vector<StepRecord> steps;
  RankRecord checks;
  for (std::int64_t step = run.first_step(); step <= run.steps; ++step) {
    steps.push_back(executor.step(step));
    steps.back().speed = SpeedGuard::speed_now();
    if (run.watch) run.watch(step, run.steps);
    if (checkpoints) checkpoints->saver.after(step, run.steps);
    if (!serial) continue;
    const StepRecord beside = serial->step(step), noisy = disturbed->step(step);
    checks.serial_losses.push_back(beside.loss);
    checks.disturbed_losses.push_back(noisy.loss);
    // A step that one of them skips has no gradients to compare, and leaves its weights as they
    // were.
    const bool taken = !steps.back().skipped && !beside.skipped && !noisy.skipped;
    if (!checks.differences.empty() || step < run.checked_step) continue;
    if (!taken && step < run.steps) continue;
    checks.differences = {
        to_text(gradient_differences(executor, serial->executor(), disturbed->executor()))};
  }
  if (checkpoints) checkpoints->saver.finish();
  const bool apart = !run.plan.strategy.waits_for_all();
  const std::int64_t period = apart ? std::max<std::int64_t>(1, run.steps - run.warm_up)
                                    : chosen_exchange(run.plan.strategy.exchange).period();
  // What a server sends, it sends when others ask: in all steps together it is the plan's.
  if (apart) spread_bytes(steps);
  steps = over_periods(std::move(steps), period, run.warm_up);
  RankRecord record =
      summarize(communicator.rank(), stages_of(executor.program()), steps, run.warm_up);
  record.staleness = executor.staleness();
  if (run.options.samples != nullptr) record.input = run.options.samples->count();
  if (checkpoints) record.checkpoints = checkpoints->saver.times();
  record.choices = backend->choices();
  record.serial_losses = std::move(checks.serial_losses);
  record.disturbed_losses = std::move(checks.disturbed_losses);
  record.differences = std::move(checks.differences);
  return record;
}

}  // namespace oracle
