#include "validate/executor/executor.h"

#include <chrono>
#include <map>

#include "oracle/base/error.h"
#include "oracle/plan/layout/halo.h"
#include "oracle/plan/pipeline_order.h"
#include "validate/data/dataset.h"
#include "validate/data/random.h"
#include "validate/executor/bucket_exchange.h"
#include "validate/executor/exchange.h"
#include "validate/executor/kept_orders.h"
#include "validate/executor/key_passes.h"
#include "validate/executor/layer_pass.h"
#include "validate/executor/make_exchange.h"
#include "validate/executor/micro_batch.h"
#include "validate/executor/state_shards.h"
#include "validate/executor/step_input.h"
#include "validate/executor/step_losses.h"
#include "validate/executor/step_replay.h"
#include "validate/executor/step_times.h"
#include "validate/executor/trained.h"
#include "validate/executor/weight_average.h"

namespace oracle {
namespace {

constexpr std::uint64_t kDropout = 0x64726f70;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

std::vector<SampleRange> ranges_of(const Plan& plan, const ExecutorOptions& options) {
  const std::int64_t count = plan.strategy.micro_batches;
  if (options.ranges.empty()) return micro_batches(plan.training.batch, count);
  ensure(static_cast<std::int64_t>(options.ranges.size()) == count,
         "as many sample ranges as micro-batches");
  return options.ranges;
}

}  // namespace

std::vector<SampleRange> micro_batches(std::int64_t batch, std::int64_t count) {
  std::vector<SampleRange> ranges;
  for (std::int64_t m = 0; m < count; ++m) {
    ranges.push_back({slab_begin(m, batch, count), slab_begin(m + 1, batch, count)});
  }
  return ranges;
}

class Executor::Impl {
 public:
  Impl(const Graph& graph, const Plan& plan, Backend& backend, Communicator& communicator,
       const ExecutorOptions& options)
      : graph_(graph),
        plan_(plan),
        backend_(backend),
        communicator_(communicator),
        options_(options),
        ranges_(ranges_of(plan, options)),
        groups_(make_groups(plan, Mesh(plan.degrees), false, communicator)),
        gradient_groups_(make_groups(plan, Mesh(plan.degrees), true, communicator)),
        generated_(graph, options.seed),
        input_(options.samples == nullptr ? generated_ : *options.samples,
               options.samples == nullptr, backend),
        losses_(backend),
        times_(backend.stopwatch()),
        exchanger_(backend, communicator, groups_),
        passes_(backend, communicator),
        loss_scale_(options.loss_scale),
        replay_(backend, options.replay_after) {
    for (const SampleRange& range : ranges_) {
      if (programs_.count(range.size()) > 0) continue;
      programs_.emplace(range.size(), std::make_unique<BoundProgram>(graph, plan, range.size(),
                                                                     communicator.rank(), backend));
    }
    trained_ =
        std::make_unique<TrainedLayers>(graph, program(), backend, options.seed, options.noise);
    const bool alone = communicator.size() == 1 && options.samples == nullptr;
    ensure(options.replay_after == 0 || (alone && options.noise == 0 && !scales()),
           "a step is recorded where the host has no part in it");
    shards_ = std::make_unique<StateShards>(plan, program(), *trained_, backend, communicator,
                                            groups_, gradient_groups_);
    stepped_ = make_exchange(plan, program(), *trained_, backend, communicator, gradient_groups_,
                             options.steps);
    servers_ = dynamic_cast<WeightServers*>(stepped_.get());
    buckets_ = std::make_unique<BucketExchange>(*trained_, *shards_, backend, communicator,
                                                gradient_groups_, stepped_.get());
  }

  const Program& program() const { return programs_.at(ranges_.front().size())->program(); }
  const Weights& weights(LayerId id) const { return *trained_->find(id); }
  StateShards& shards() const { return *shards_; }
  StepCounters counters() const { return {updates_, loss_scale_}; }
  void set_counters(const StepCounters& counters) {
    updates_ = counters.updates;
    loss_scale_ = counters.loss_scale;
  }
  Staleness staleness() const { return servers_ == nullptr ? Staleness{} : servers_->staleness(); }
  Interval held(LayerId id, std::size_t parameter) const {
    return is_served(id) ? servers_->held(id, parameter) : shards_->held(id, parameter);
  }
  std::vector<float> gradient(LayerId id, std::size_t parameter) const {
    std::vector<float> all = shards_->gradient(id, parameter);
    if (!is_served(id)) return all;
    const Interval own = servers_->held(id, parameter);
    return {all.begin() + own.begin, all.begin() + own.end};
  }

  StepRecord step(std::int64_t number) {
    begin_step(number);
    if (replay_.begin_step()) record_step();
    const auto start = Clock::now();
    backend_.begin_step(scalars_);
    replay_.replays() ? replay_.replay() : run_step();
    exchanger_.finish();
    backend_.synchronize();
    record_.seconds = seconds_since(start);
    if (!record_.skipped) ++updates_;
    times_.settle();
    record_.loss = losses_.mean(static_cast<double>(plan_.training.batch));
    record_.bytes = communicator_.bytes_sent() - bytes_before_;
    record_.peak_memory = backend_.memory().peak;
    if (replay_.replays()) mark_as_replayed();
    if (!settled_) settle_orders();
    return record_;
  }

 private:
  /// After the first step, which chooses formats. Shards and servers have parts of the plain order.
  void settle_orders() {
    settled_ = true;
    const bool plain = plan_.strategy.zero > 0 || (stepped_ && !stepped_->in_any_order());
    if (plain || !orders_agree(communicator_, trained_->kept_orders())) return;
    trained_->pack_as_kept();
    if (stepped_) stepped_->packs_as_kept();
  }

  void begin_step(std::int64_t number) {
    record_ = {};
    record_.item_seconds.assign(program().items, 0);
    record_.item_bytes.assign(program().items, 0);
    number_ = number;
    first_sample_ = (number - 1) * plan_.training.batch;
    bytes_before_ = communicator_.bytes_sent();
    if (scales()) record_.loss_scale = loss_scale_.value;
    scalars_ = scalars_of(number);
    for (const SampleRange& range : ranges_) {
      input_.prepare(programs_.at(range.size())->program(), first_sample_, range.begin);
    }
    backend_.synchronize();
    trained_->begin_step();
    shards_->begin_step();
    times_.begin_step();
    backend_.reset_peak();
    if (servers_ != nullptr) servers_->begin_step(scalars_.optimizer);
    if (servers_ != nullptr && !servers_->wait_for_all()) return;
    // Some make more samples than others, which is no part of the step.
    if (options_.samples == nullptr) communicator_.barrier("the beginning of a step");
  }

  StepScalars scalars_of(std::int64_t number) const {
    StepScalars scalars;
    scalars.seed = mixed(options_.seed, kDropout, static_cast<std::uint64_t>(number));
    const double samples = static_cast<double>(plan_.training.batch) / trained_apart();
    scalars.gradient_scale = record_.loss_scale / samples;
    scalars.optimizer = options_.optimizer;
    scalars.optimizer.step = updates_ + 1;
    scalars.optimizer.gradient_scale = record_.loss_scale;
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
    const auto rank = static_cast<std::int64_t>(program().stage);
    for (const Turn& turn : rank_order(plan_.pipeline(), rank)) {
      turn.forward ? forward(turn.micro_batch) : backward(turn.micro_batch);
    }
    exchange_rest();
    update();
  }

  /// Before the step is timed.
  void record_step() {
    backend_.begin_step(scalars_);
    times_.rest(true);
    replay_.record([this] { run_step(); });
    times_.rest(false);
  }

  void mark_as_replayed() {
    record_.replayed = true;
    record_.item_seconds.clear();
    record_.peak_memory = replay_.peak_memory();
  }

  void forward(std::int64_t index) {
    const SampleRange& range = ranges_[static_cast<std::size_t>(index)];
    auto batch = std::make_unique<MicroBatch>(*programs_.at(range.size()), range, backend_);
    for (const Operation& operation : batch->program().forward) run(operation, *batch);
    in_flight_[index] = std::move(batch);
  }

  /// The gradients of the last micro-batch are those of the step; buckets leave as they fill.
  void backward(std::int64_t index) {
    const std::unique_ptr<MicroBatch> batch = std::move(in_flight_[index]);
    in_flight_.erase(index);
    const bool last = index + 1 == static_cast<std::int64_t>(ranges_.size());
    for (const Operation& operation : batch->program().backward) {
      run(operation, *batch);
      if (buckets_->under_way()) advance_buckets();
      if (!last || operation.item == kNoPlanItem) continue;
      for (const GradientBucket& bucket : program().buckets) {
        if (bucket.ready_after == operation.item) add(bucket);
      }
    }
  }

  /// Whatever the exchange does is time of the bucket that travels.
  template <typename Do>
  void exchange(Doing doing, Do what) {
    const Mark begin = times_.mark();
    const std::uint32_t item = buckets_->item();
    what();
    times_.count(begin, record_.item_seconds[item], doing);
  }

  void add(const GradientBucket& bucket) {
    buckets_->count_bytes(bucket, record_.item_bytes);
    const Mark begin = times_.mark();
    buckets_->add(bucket);
    times_.count(begin, record_.item_seconds[bucket.item], Doing::passing);
    if (buckets_->computes()) advance_buckets();
  }

  /// With what is to be computed of what has arrived.
  void advance_buckets() {
    do {
      exchange(Doing::passing, [&] { buckets_->advance(); });
    } while (buckets_->computes());
  }

  void exchange_rest() {
    for (const GradientBucket& bucket : program().buckets) {
      if (bucket.ready_after == kNoPlanItem) add(bucket);
    }
    while (buckets_->under_way()) exchange(Doing::waiting, [&] { buckets_->finish_first(); });
  }

  bool scales() const { return plan_.training.precision.compute == DataType::fp16; }

  bool is_served(LayerId id) const { return servers_ != nullptr && servers_->serve(id); }

  void look_for_bad_gradients() {
    const Mark begin = times_.mark();
    const bool bad = !trained_->finite(backend_);
    record_.skipped = communicator_.any(bad, "gradients that are not finite");
    loss_scale_ = loss_scale_.after(!record_.skipped);
    times_.count(begin, record_.scale_seconds, Doing::waiting);
  }

  void update() {
    if (scales()) look_for_bad_gradients();
    const Mark begin = times_.mark();
    if (!record_.skipped) {
      trained_->update(backend_, scalars_.optimizer,
                       [this](LayerId id) { return shards_->in_shards(id) || is_served(id); });
      shards_->update(scalars_.optimizer);
      if (servers_ != nullptr) servers_->update();
    }
    for (const std::uint32_t item : program().update_items) {
      times_.count(begin, record_.item_seconds[item], Doing::computing);
    }
    for (const GradientBucket& bucket : program().buckets) {
      if (bucket.pull_item == kNoPlanItem) continue;
      const Mark start = times_.mark();
      servers_->pull(bucket, record_.item_bytes);
      times_.count(start, record_.item_seconds[bucket.pull_item], Doing::waiting);
    }
    for (const WeightAverage& average : program().averages) {
      if (number_ % average.every != 0) continue;
      const Mark start = times_.mark();
      record_.item_bytes[average.item] +=
          average_weights(average, *trained_, backend_, communicator_, gradient_groups_);
      times_.count(start, record_.item_seconds[average.item], Doing::waiting);
    }
    for (const WeightGather& gather : program().updated_gathers) {
      const Mark start = times_.mark();
      record_.item_bytes[gather.item] += shards_->gather_updated(gather);
      times_.count(start, record_.item_seconds[gather.item], Doing::waiting);
    }
  }

  /// What servers do that do not wait is time of the update.
  void keep_up() {
    if (servers_ == nullptr || servers_->wait_for_all()) return;
    const Mark begin = times_.mark();
    servers_->keep_up();
    const std::vector<std::uint32_t>& items = program().update_items;
    if (!items.empty()) times_.count(begin, record_.item_seconds[items.front()], Doing::computing);
  }

  void run(const Operation& operation, MicroBatch& batch) {
    keep_up();
    const auto* move = std::get_if<Move>(&operation.what);
    const auto* layer = std::get_if<LayerRun>(&operation.what);
    const bool passes = move != nullptr && KeyPasses::serve(*move);
    // Keys go round beside a step of attention, and wherever more of them leave.
    if (!passes && (layer == nullptr || layer->keys.empty())) finish_passes();
    operation_begin_ = times_.mark();
    if (passes) return start_pass(operation, batch);
    double bytes = 0;
    exchanger_.release_departed();
    if (const auto* load = std::get_if<Load>(&operation.what)) run(*load, batch);
    if (move != nullptr) {
      bytes = exchanger_.run(*move, batch, operation.ends(move->from), label(*move, batch));
    }
    if (layer != nullptr) {
      run(*layer, operation.item, batch);
      if (passes_.under_way()) {
        times_.count(operation_begin_, record_.item_seconds[operation.item], Doing::computing);
        finish_passes();
        operation_begin_ = times_.mark();
      }
    }
    if (const auto* sum = std::get_if<GradientSum>(&operation.what)) {
      backend_.add(*batch.find(sum->sum), *batch.find(sum->term));
    }
    if (const auto* gather = std::get_if<Gather>(&operation.what)) {
      bytes = shards_->gather(batch.program().gathers[gather->gather]);
    }
    if (const auto* scatter = std::get_if<GradientScatter>(&operation.what)) {
      bytes = shards_->scatter(*scatter);
    }
    if (const auto* sum = std::get_if<ShardSum>(&operation.what)) bytes = shards_->sum(*sum);
    for (const Slot slot : operation.dies) batch.free(slot);
    for (const std::uint32_t gather : operation.releases) {
      shards_->release(batch.program().gathers[gather]);
    }
    keep_pace();
    if (operation.item == kNoPlanItem) return;
    const bool moves = layer == nullptr && !std::holds_alternative<GradientSum>(operation.what);
    times_.count(operation_begin_, record_.item_seconds[operation.item],
                 moves ? Doing::waiting : Doing::computing);
    record_.item_bytes[operation.item] += bytes;
  }

  void start_pass(const Operation& operation, MicroBatch& batch) {
    const double bytes =
        passes_.start(operation, batch, label(std::get<Move>(operation.what), batch));
    times_.count(operation_begin_, record_.item_seconds[operation.item], Doing::passing);
    record_.item_bytes[operation.item] += bytes;
  }

  void finish_passes() {
    while (passes_.under_way()) {
      const Mark begin = times_.mark();
      const std::uint32_t item = passes_.finish_first();
      times_.count(begin, record_.item_seconds[item], Doing::waiting);
    }
  }

  /// A device computes on its own, and the host hurries ahead. It is the host that sends the next
  /// bucket off and gives back the memory of what has left: while something is under way it goes
  /// as the device does.
  void keep_pace() {
    if (buckets_->under_way() || exchanger_.holds_departed()) backend_.synchronize();
  }

  void run(const Load& load, MicroBatch& batch) {
    const Mark begin = times_.mark();
    input_.write(batch.program(), load, first_sample_, batch.first_sample(), *batch.make(load.to));
    times_.count(begin, record_.input_seconds, Doing::waiting);
  }

  std::string label(const Move& move, const MicroBatch& batch) const {
    const Slot slot = move.from == kNoSlot ? move.to : move.from;
    const SlotSpec& spec = batch.program().slots[slot];
    return std::string(name_of(move.collective)) + " of " +
           (spec.gradient ? "the gradient of " : "") + graph_[spec.layer].name;
  }

  void run(const LayerRun& layer, std::uint32_t item, MicroBatch& batch) {
    std::vector<Tensor*> inputs, gradients;
    for (const Slot slot : layer.inputs) inputs.push_back(batch.find(slot));
    Tensor* output_gradient = batch.find(layer.output_gradient);
    if (layer.in_place.from != kNoSlot) batch.hand_over(layer.in_place.from, layer.in_place.to);
    for (const Slot slot : layer.input_gradients) {
      gradients.push_back(slot == layer.shared.same ? nullptr : batch.make(slot));
    }
    if (layer.shared.made != kNoSlot) batch.share(layer.shared.made, layer.shared.same);
    Call call;
    call.inputs = inputs;
    call.input_gradients = gradients;
    call.output = layer.pass == Pass::forward ? batch.make(layer.output) : batch.find(layer.output);
    call.output_gradient = output_gradient;
    call.weights = trained_->find(layer.layer);
    call.saved = batch.saved(layer.kernel);
    call.gradient_scale = scalars_.gradient_scale;
    call.seed = scalars_.seed;
    call.layer = layer.layer;
    call.keys = layer.keys;
    call.adds = layer.adds_to != kNoSlot;
    Kernel& kernel = batch.kernel(layer.kernel);
    Statistics statistics;
    if (!layer.statistics.empty()) {
      statistics = statistics_of(layer, item, kernel, call);
      call.statistics = &statistics;
    }
    run_pass(layer.pass, kernel, call);
    if (options_.noise > 0) disturb(layer.pass, call, options_.noise);
    const bool ends = layer.pass == Pass::forward && layer.layer == program().loss;
    if (ends && program().reports_loss) losses_.keep(*call.output);
  }

  Statistics statistics_of(const LayerRun& layer, std::uint32_t item, Kernel& kernel, Call call) {
    Statistics statistics;
    for (const StatisticsSum& sum : layer.statistics) {
      statistics.count = sum.count;
      if (!statistics.sums.empty()) call.statistics = &statistics;
      // What is summed up here is the layer's time; what goes over the wire is the exchange's.
      std::vector<float> next = kernel.statistics(call, layer.pass);
      times_.count(operation_begin_, record_.item_seconds[item], Doing::computing);
      const Mark begin = times_.mark();
      const std::string label = "statistics of " + graph_[layer.layer].name;
      record_.item_bytes[sum.item] += sum.largest ? exchanger_.largest(next, sum.axes, label)
                                                  : exchanger_.sum(next, sum.axes, label);
      times_.count(begin, record_.item_seconds[sum.item], Doing::waiting);
      operation_begin_ = times_.mark();
      statistics.sums.insert(statistics.sums.end(), next.begin(), next.end());
    }
    return statistics;
  }

  const Graph& graph_;
  const Plan& plan_;
  Backend& backend_;
  Communicator& communicator_;
  ExecutorOptions options_;
  std::vector<SampleRange> ranges_;
  RankGroups groups_, gradient_groups_;
  Dataset generated_;
  StepInput input_;
  StepLosses losses_;
  StepTimes times_;
  Mark operation_begin_ = 0;  ///< of the one under way, or of its rest
  Exchanger exchanger_;
  KeyPasses passes_;
  std::map<std::int64_t, std::unique_ptr<BoundProgram>> programs_;  ///< by samples
  std::unique_ptr<TrainedLayers> trained_;
  std::unique_ptr<StateShards> shards_;
  std::unique_ptr<SteppedExchange> stepped_;  ///< null: gradients travel by one collective
  WeightServers* servers_ = nullptr;          ///< the same, where there are servers
  std::unique_ptr<BucketExchange> buckets_;
  std::map<std::int64_t, std::unique_ptr<MicroBatch>> in_flight_;
  StepRecord record_;  ///< of the step under way
  LossScale loss_scale_;
  bool settled_ = false;
  std::int64_t updates_ = 0;  ///< that were not skipped
  std::int64_t number_ = 0;   ///< of the step under way
  std::int64_t first_sample_ = 0;
  StepScalars scalars_;  ///< of the step under way
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
  return impl_->held(id, parameter);
}
Staleness Executor::staleness() const { return impl_->staleness(); }
std::vector<float> Executor::gradient(LayerId id, std::size_t parameter) const {
  return impl_->gradient(id, parameter);
}
StateShards& Executor::state() { return impl_->shards(); }
const StateShards& Executor::state() const { return impl_->shards(); }
StepCounters Executor::counters() const { return impl_->counters(); }
void Executor::set_counters(const StepCounters& counters) { impl_->set_counters(counters); }

}  // namespace oracle
