#include "validate/executor/executor.h"

#include <chrono>
#include <map>

#include "oracle/base/error.h"
#include "oracle/plan/pipeline_order.h"
#include "validate/data/dataset.h"
#include "validate/data/random.h"
#include "validate/executor/gradient_squares.h"
#include "validate/executor/kept_orders.h"
#include "validate/executor/micro_batch.h"
#include "validate/executor/operation_runner.h"
#include "validate/executor/rate_schedule.h"
#include "validate/executor/step_exchange.h"
#include "validate/executor/step_input.h"
#include "validate/executor/step_losses.h"
#include "validate/executor/step_replay.h"
#include "validate/executor/step_times.h"
#include "validate/executor/trained.h"

namespace oracle {
namespace {

constexpr std::uint64_t kDropout = 0x64726f70;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// A sample's loss is the mean over so many.
std::int64_t loss_positions(const Graph& graph) {
  std::int64_t positions = 1;
  for (const Layer& layer : graph.layers) {
    if (layer.is_loss()) positions = layer.input.positions();
  }
  return positions;
}

}  // namespace

class Executor::Impl {
 public:
  Impl(const Graph& graph, const Plan& plan, Backend& backend, Communicator& communicator,
       const ExecutorOptions& options)
      : plan_(plan),
        backend_(backend),
        communicator_(communicator),
        options_(options),
        ranges_(ranges_of(plan, options.ranges)),
        groups_(make_groups(plan, Mesh(plan.degrees), false, communicator)),
        gradient_groups_(make_groups(plan, Mesh(plan.degrees), true, communicator)),
        loss_positions_(loss_positions(graph)),
        generated_(graph, options.seed),
        input_(options.samples == nullptr ? generated_ : *options.samples,
               options.samples == nullptr, backend),
        losses_(backend),
        times_(backend.stopwatch()),
        programs_(bound_programs(graph)),
        trained_(graph, program(), backend, options.seed, options.noise),
        squares_(options.squares ? squares_of_gradients() : nullptr),
        shards_(plan, program(), trained_, backend, communicator, groups_, gradient_groups_),
        exchange_(plan, program(), trained_, shards_, backend, communicator, gradient_groups_,
                  times_, step_, options.steps, squares_.get()),
        operations_(
            {graph, backend, communicator, trained_, shards_, exchange_, input_, losses_, times_},
            groups_, options.noise, step_),
        loss_scale_(options.loss_scale),
        replay_(backend, options.replay_after) {
    const bool alone = communicator.size() == 1 && options.samples == nullptr;
    ensure(options.replay_after == 0 || (alone && options.noise == 0 && !scales()),
           "a step is recorded where the host has no part in it");
  }

  const Program& program() const { return programs_.at(ranges_.front().size())->program(); }
  const Weights& weights(LayerId id) const { return *trained_.find(id); }
  const StepExchange& exchange() const { return exchange_; }
  StateShards& shards() { return shards_; }
  StepCounters counters() const { return {updates_, loss_scale_}; }
  void set_counters(const StepCounters& counters) {
    updates_ = counters.updates;
    loss_scale_ = counters.loss_scale;
  }

  StepRecord step(std::int64_t number) {
    begin_step(number);
    if (replay_.begin_step()) record_step();
    const auto start = Clock::now();
    backend_.begin_step(step_.scalars);
    replay_.replays() ? replay_.replay() : run_step();
    operations_.finish();
    backend_.synchronize();
    StepRecord& record = step_.record;
    record.seconds = seconds_since(start);
    if (!record.skipped) ++updates_;
    times_.settle();
    record.loss = losses_.mean(static_cast<double>(plan_.training.batch * loss_positions_));
    record.bytes = communicator_.bytes_sent() - bytes_before_;
    record.peak_memory = backend_.memory().peak;
    if (squares_) record.squares = squares_->squares();
    if (replay_.replays()) mark_as_replayed();
    if (!settled_) settle_orders();
    return record;
  }

 private:
  using Programs = std::map<std::int64_t, std::unique_ptr<BoundProgram>>;  ///< by samples

  Programs bound_programs(const Graph& graph) {
    Programs programs;
    for (const SampleRange& range : ranges_) {
      if (programs.count(range.size()) > 0) continue;
      programs.emplace(range.size(),
                       std::make_unique<BoundProgram>(graph, plan_, range.size(),
                                                      communicator_.rank(), backend_));
    }
    return programs;
  }

  std::unique_ptr<GradientSquares> squares_of_gradients() const {
    std::int64_t own = 0;
    for (const SampleRange& range : ranges_) {
      own += own_samples(programs_.at(range.size())->program());
    }
    return std::make_unique<GradientSquares>(trained_, program(), ranges_, own);
  }

  /// After the first step, which chooses formats. Shards and servers have parts of the plain order.
  void settle_orders() {
    settled_ = true;
    const bool plain = plan_.strategy.zero > 0 || !exchange_.in_any_order();
    if (communicator_.size() < 2 || plain) return;
    if (!orders_agree(communicator_, trained_.kept_orders())) return;
    trained_.pack_as_kept();
    exchange_.packs_as_kept();
  }

  void begin_step(std::int64_t number) {
    step_.record = {};
    step_.record.item_seconds.assign(program().items, 0);
    step_.record.item_bytes.assign(program().items, 0);
    step_.number = number;
    step_.first_sample = (number - 1) * plan_.training.batch;
    bytes_before_ = communicator_.bytes_sent();
    if (scales()) step_.record.loss_scale = loss_scale_.value;
    step_.scalars = scalars_of(number);
    for (const SampleRange& range : ranges_) {
      input_.prepare(programs_.at(range.size())->program(), step_.first_sample, range.begin);
    }
    backend_.synchronize();
    trained_.begin_step();
    shards_.begin_step();
    if (squares_) squares_->begin_step();
    times_.begin_step();
    backend_.reset_peak();
    exchange_.begin_step();
    if (!exchange_.wait_for_all()) return;
    // Some make more samples than others, which is no part of the step.
    if (options_.samples == nullptr) communicator_.barrier("the beginning of a step");
  }

  StepScalars scalars_of(std::int64_t number) const {
    StepScalars scalars;
    scalars.seed = mixed(options_.seed, kDropout, static_cast<std::uint64_t>(number));
    const double summed =
        static_cast<double>(plan_.training.batch * loss_positions_) / trained_apart();
    scalars.gradient_scale = step_.record.loss_scale / summed;
    scalars.optimizer = options_.optimizer;
    scalars.optimizer.rate = rate_at(options_.optimizer.rate, options_.rate_warm_up, number);
    scalars.optimizer.step = updates_ + 1;
    scalars.optimizer.gradient_scale = step_.record.loss_scale;
    return scalars;
  }

  /// Ranks whose loss is the mean over their own samples, to be averaged later.
  double trained_apart() const {
    const std::vector<WeightAverage>& averages = program().averages;
    if (averages.empty()) return 1;
    return static_cast<double>(gradient_groups_.at(averages.front().axes).size);
  }

  /// All that a step gives to the device.
  void run_step() {
    losses_.begin_step();
    const PipelineForm form = plan_.pipeline();
    const auto first = static_cast<std::int64_t>(program().stages.front().stage);
    for (const Turn& turn : rank_order(form, form.rank_of(first))) {
      run(turn);
    }
    exchange_.finish();
    if (squares_) squares_->before_update();
    if (scales()) look_for_bad_gradients();
    exchange_.update();
  }

  /// Before the step is timed.
  void record_step() {
    backend_.begin_step(step_.scalars);
    times_.rest(true);
    replay_.record([this] { run_step(); });
    times_.rest(false);
  }

  void mark_as_replayed() {
    step_.record.replayed = true;
    step_.record.item_seconds.clear();
    step_.record.peak_memory = replay_.peak_memory();
  }

  static const StageProgram& stage_of(const Turn& turn, const MicroBatch& batch) {
    return batch.program().stages[static_cast<std::size_t>(turn.chunk)];
  }

  void run(const Turn& turn) {
    switch (turn.kind) {
      case TurnKind::forward:
        return forward(turn);
      case TurnKind::backward:
        return backward(turn);
      case TurnKind::weights:
        return weights(turn);
    }
  }

  void forward(const Turn& turn) {
    const SampleRange& range = ranges_[static_cast<std::size_t>(turn.micro_batch)];
    auto batch = std::make_unique<MicroBatch>(*programs_.at(range.size()), range, backend_);
    for (const Operation& operation : stage_of(turn, *batch).forward) run(operation, *batch);
    in_flight_[{turn.chunk, turn.micro_batch}] = std::move(batch);
  }

  /// The gradients of the last micro-batch are those of the step.
  void backward(const Turn& turn) {
    const auto found = in_flight_.find({turn.chunk, turn.micro_batch});
    MicroBatch& batch = *found->second;
    const bool last = turn.is_last(plan_.pipeline());
    for (const Operation& operation : stage_of(turn, batch).backward) {
      run(operation, batch);
      exchange_.after(operation.item, last);
    }
    if (plan_.pipeline().parts_backward()) {
      batch.keep_saved_for(stage_of(turn, batch).weights);
    } else {
      in_flight_.erase(found);
    }
    if (squares_ && turn.micro_batch == 0) squares_->behind_first_micro_batch();
  }

  /// A second turn of backward. What the first one made of the last micro-batch leaves with it.
  void weights(const Turn& turn) {
    const std::unique_ptr<MicroBatch> batch =
        std::move(in_flight_.extract({turn.chunk, turn.micro_batch}).mapped());
    const bool last = turn.is_last(plan_.pipeline());
    const StageProgram& stage = stage_of(turn, *batch);
    if (last) {
      for (const Operation& operation : stage.backward) exchange_.after(operation.item, true);
    }
    for (const Operation& operation : stage.weights) {
      run(operation, *batch);
      exchange_.after(operation.item, last);
    }
  }

  void run(const Operation& operation, MicroBatch& batch) {
    exchange_.keep_up();
    operations_.run(operation, batch);
  }

  bool scales() const { return plan_.training.precision.compute == DataType::fp16; }

  void look_for_bad_gradients() {
    const Mark begin = times_.mark();
    const bool bad = !trained_.finite(backend_);
    step_.record.skipped = communicator_.any(bad, "gradients that are not finite");
    loss_scale_ = loss_scale_.after(!step_.record.skipped);
    times_.count(begin, step_.record.scale_seconds, Doing::waiting);
  }

  const Plan& plan_;
  Backend& backend_;
  Communicator& communicator_;
  ExecutorOptions options_;
  std::vector<SampleRange> ranges_;
  RankGroups groups_, gradient_groups_;
  std::int64_t loss_positions_;
  Dataset generated_;
  StepInput input_;
  StepLosses losses_;
  StepTimes times_;
  StepState step_;  ///< under way
  Programs programs_;
  TrainedLayers trained_;
  std::unique_ptr<GradientSquares> squares_;  ///< null: not asked for
  StateShards shards_;
  StepExchange exchange_;
  OperationRunner operations_;
  /// By chunk and number.
  std::map<std::pair<std::int64_t, std::int64_t>, std::unique_ptr<MicroBatch>> in_flight_;
  LossScale loss_scale_;
  bool settled_ = false;
  std::int64_t updates_ = 0;  ///< that were not skipped
  std::int64_t bytes_before_ = 0;
  StepReplay replay_;  ///< of a step, in which all of the above is used
};

Executor::Executor(const Graph& graph, const Plan& plan, Backend& backend,
                   Communicator& communicator, const ExecutorOptions& options)
    : impl_(std::make_unique<Impl>(graph, plan, backend, communicator, options)) {}
Executor::~Executor() = default;
Executor::Executor(Executor&&) noexcept = default;

StepRecord Executor::step(std::int64_t number) { return impl_->step(number); }
const Program& Executor::program() const { return impl_->program(); }
const Weights& Executor::weights(LayerId id) const { return impl_->weights(id); }
Interval Executor::held_gradient(LayerId id, std::size_t parameter) const {
  return impl_->exchange().held(id, parameter);
}
Staleness Executor::staleness() const { return impl_->exchange().staleness(); }
std::vector<float> Executor::gradient(LayerId id, std::size_t parameter) const {
  return impl_->exchange().gradient(id, parameter);
}
StateShards& Executor::state() { return impl_->shards(); }
const StateShards& Executor::state() const { return impl_->shards(); }
StepCounters Executor::counters() const { return impl_->counters(); }
void Executor::set_counters(const StepCounters& counters) { impl_->set_counters(counters); }

}  // namespace oracle
