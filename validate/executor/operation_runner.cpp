#include "validate/executor/operation_runner.h"

#include "validate/executor/layer_pass.h"

namespace oracle {

OperationRunner::OperationRunner(const Surroundings& with, const RankGroups& groups, double noise,
                                 StepState& step)
    : with_(with),
      noise_(noise),
      step_(step),
      exchanger_(with.backend, with.communicator, groups),
      passes_(with.backend, with.communicator) {}

void OperationRunner::run(const Operation& operation, MicroBatch& batch) {
  const auto* move = std::get_if<Move>(&operation.what);
  const auto* layer = std::get_if<LayerRun>(&operation.what);
  const bool passes = move != nullptr && KeyPasses::serve(*move);
  // Keys go round beside a step of attention, and wherever more of them leave.
  if (!passes && (layer == nullptr || layer->keys.empty())) finish_passes();
  begin_ = with_.times.mark();
  if (passes) return start_pass(operation, batch);
  StepRecord& record = step_.record;
  double bytes = 0;
  exchanger_.release_departed();
  if (const auto* load = std::get_if<Load>(&operation.what)) run(*load, batch);
  if (move != nullptr) {
    bytes = exchanger_.run(*move, batch, operation.ends(move->from), label(*move, batch));
  }
  if (layer != nullptr) {
    run(*layer, operation.item, batch);
    if (passes_.under_way()) {
      with_.times.count(begin_, record.item_seconds[operation.item], Doing::computing);
      finish_passes();
      begin_ = with_.times.mark();
    }
  }
  if (const auto* sum = std::get_if<GradientSum>(&operation.what)) {
    with_.backend.add(*batch.find(sum->sum), *batch.find(sum->term));
  }
  if (const auto* gather = std::get_if<Gather>(&operation.what)) {
    bytes = with_.shards.gather(batch.program().gathers[gather->gather]);
  }
  if (const auto* scatter = std::get_if<GradientScatter>(&operation.what)) {
    bytes = with_.shards.scatter(*scatter);
  }
  if (const auto* sum = std::get_if<ShardSum>(&operation.what)) bytes = with_.shards.sum(*sum);
  for (const Slot slot : operation.dies) batch.free(slot);
  for (const std::uint32_t gather : operation.releases) {
    with_.shards.release(batch.program().gathers[gather]);
  }
  keep_pace();
  if (operation.item == kNoPlanItem) return;
  const bool moves = layer == nullptr && !std::holds_alternative<GradientSum>(operation.what);
  with_.times.count(begin_, record.item_seconds[operation.item],
                    moves ? Doing::waiting : Doing::computing);
  record.item_bytes[operation.item] += bytes;
}

void OperationRunner::start_pass(const Operation& operation, MicroBatch& batch) {
  const double bytes =
      passes_.start(operation, batch, label(std::get<Move>(operation.what), batch));
  with_.times.count(begin_, step_.record.item_seconds[operation.item], Doing::passing);
  step_.record.item_bytes[operation.item] += bytes;
}

void OperationRunner::finish_passes() {
  while (passes_.under_way()) {
    const Mark begin = with_.times.mark();
    const std::uint32_t item = passes_.finish_first();
    with_.times.count(begin, step_.record.item_seconds[item], Doing::waiting);
  }
}

/// A device computes on its own, and the host hurries ahead. It is the host that sends the next
/// bucket off and gives back the memory of what has left: while something is under way it goes as
/// the device does.
void OperationRunner::keep_pace() {
  if (with_.exchange.under_way() || exchanger_.holds_departed()) with_.backend.synchronize();
}

void OperationRunner::run(const Load& load, MicroBatch& batch) {
  const Mark begin = with_.times.mark();
  with_.input.write(batch.program(), load, step_.first_sample, batch.first_sample(),
                    *batch.make(load.to));
  with_.times.count(begin, step_.record.input_seconds, Doing::waiting);
}

std::string OperationRunner::label(const Move& move, const MicroBatch& batch) const {
  const Slot slot = move.from == kNoSlot ? move.to : move.from;
  const SlotSpec& spec = batch.program().slots[slot];
  return std::string(name_of(move.collective)) + " of " +
         (spec.gradient ? "the gradient of " : "") + with_.graph[spec.layer].name;
}

void OperationRunner::run(const LayerRun& layer, std::uint32_t item, MicroBatch& batch) {
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
  call.weights = with_.trained.find(layer.layer);
  call.saved = batch.saved(layer.kernel);
  call.gradient_scale = step_.scalars.gradient_scale;
  call.seed = step_.scalars.seed;
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
  if (noise_ > 0) disturb(layer.pass, call, noise_);
  const Program& program = batch.program();
  const bool ends = layer.pass == Pass::forward && layer.layer == program.loss;
  if (ends && program.reports_loss) with_.losses.keep(*call.output);
}

Statistics OperationRunner::statistics_of(const LayerRun& layer, std::uint32_t item, Kernel& kernel,
                                          Call call) {
  Statistics statistics;
  StepRecord& record = step_.record;
  for (const StatisticsSum& sum : layer.statistics) {
    statistics.count = sum.count;
    if (!statistics.sums.empty()) call.statistics = &statistics;
    // What is summed up here is the layer's time; what goes over the wire is the exchange's.
    std::vector<float> next = kernel.statistics(call, layer.pass);
    with_.times.count(begin_, record.item_seconds[item], Doing::computing);
    const Mark begin = with_.times.mark();
    const std::string label = "statistics of " + with_.graph[layer.layer].name;
    record.item_bytes[sum.item] += sum.largest ? exchanger_.largest(next, sum.axes, label)
                                               : exchanger_.sum(next, sum.axes, label);
    with_.times.count(begin, record.item_seconds[sum.item], Doing::waiting);
    begin_ = with_.times.mark();
    statistics.sums.insert(statistics.sums.end(), next.begin(), next.end());
  }
  return statistics;
}

}  // namespace oracle
